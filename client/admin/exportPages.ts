import { csvOf } from './adminWords.ts'

interface Page<Last> {
  rows: (string | number | null)[][]
  last: Last | undefined
  hasMore: boolean
}

/** Returns a list as pieces of one CSV. Says how many rows it has so far. Throws ApiError. */
export async function exportPages<Last>(
  head: string[],
  onCount: (count: number) => void,
  read: (last: Last | undefined) => Promise<Page<Last>>,
): Promise<string[]> {
  const pieces = [csvOf([head])]
  let [last, count]: [Last | undefined, number] = [undefined, 0]
  for (;;) {
    const page: Page<Last> = await read(last)
    // Text of a page at a time, so that the rows of a large list are not kept too.
    pieces.push(csvOf(page.rows))
    last = page.last
    count += page.rows.length
    onCount(count)
    if (!page.hasMore || page.rows.length === 0) return pieces
  }
}
