const COLUMNS = 3

/** Returns the index that a key leads to; undefined for other keys and at the edges. `counts`: the cells of each month, in order. */
export function stepInGrid(counts: number[], index: number, key: string): number | undefined {
  const rows = rowsOf(counts)
  const row = rows.findIndex(({ from, to }) => index >= from && index < to)
  const at = rows[row]
  const last = (rows.at(-1)?.to ?? 0) - 1
  if (!at) return undefined
  const inRow = (next: number) => {
    const beside = rows[next]
    return beside && Math.min(beside.from + index - at.from, beside.to - 1)
  }
  const next = {
    ...{ ArrowLeft: index - 1, ArrowRight: index + 1, ArrowUp: inRow(row - 1), ArrowDown: inRow(row + 1), Home: 0, End: last },
  }[key]
  return next === undefined || next < 0 || next > last ? undefined : next
}

/** A month begins a row of its own. */
function rowsOf(counts: number[]): { from: number; to: number }[] {
  const rows: { from: number; to: number }[] = []
  let from = 0
  for (const count of counts) {
    const end = from + count
    for (; from < end; from = rows.at(-1)?.to ?? end) rows.push({ from, to: Math.min(end, from + COLUMNS) })
  }
  return rows
}
