import type { TrackedFile } from './tracked.ts'

const ROW = /^\|[^|]*\| (.+) \| `([^`|]+[.]test[.]tsx?)` \|$/

/** Finds tests that a document names in a table (`| property | title | file |`) and that are not there under that title. */
export function findUnknownTests(files: TrackedFile[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) => text.split('\n').map((line) => ({ path, row: ROW.exec(line) })))
    .filter(({ row }) => row && !hasTest(texts.get(row[2] ?? ''), row[1] ?? ''))
    .map(({ path, row }) => `${path}: ${row?.[2]} has no test "${row?.[1]}"`)
}

/** True if a test file has a test with this title that runs. */
export const hasTest = (text: string | undefined, title: string): boolean =>
  text !== undefined && ["'", '"', '`'].some((quote) => text.includes(`test(${quote}${title}${quote}`))
