interface Range {
  /** The block whose balance `base` is. */
  from: number
  base: bigint
  /** The first block that the node can still be asked about, and the newest. */
  first: number
  last: number
}

/** A balance that is higher than in the block before. */
export interface Rise {
  height: number
  units: bigint
}

/**
 * Finds the blocks in which a balance rose, by few questions: a range whose ends have one balance is not looked into. What rose before
 * `first` is told of that block. A fall, such as money that its owner moved on, is no rise.
 */
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
