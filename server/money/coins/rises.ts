interface Range {
  /** `base` is this block's balance. */
  from: number
  base: bigint
  /** The blocks that the node knows. */
  first: number
  last: number
}

export interface Rise {
  height: number
  units: bigint
}

/** Skips ranges with one balance at both ends. A fall is no rise. */
export async function rises(balanceAt: (height: number) => Promise<bigint>, { from, base, first, last }: Range): Promise<Rise[]> {
  const [atFirst, atLast] = [first === from ? base : await balanceAt(first), last === from ? base : await balanceAt(last)]
  const between = async (low: number, lowBalance: bigint, high: number, highBalance: bigint): Promise<Rise[]> => {
    if (lowBalance === highBalance || low >= high) return []
    if (high - low === 1) return highBalance > lowBalance ? [{ height: high, units: highBalance - lowBalance }] : []
    const middle = Math.floor((low + high) / 2)
    const balance = await balanceAt(middle)
    return [...(await between(low, lowBalance, middle, balance)), ...(await between(middle, balance, high, highBalance))]
  }
  const earlier = atFirst > base ? [{ height: first, units: atFirst - base }] : []
  return [...earlier, ...(await between(first, atFirst, last, atLast))]
}
