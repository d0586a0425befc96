import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import type { Row } from './row.ts'

const FOLDER = path.join(import.meta.dirname, 'results')
const README = path.join(import.meta.dirname, 'README.md')
const [START, END] = ['<!-- table -->', '<!-- end of table -->']

const resultsShape = z.object({
  date: z.iso.date(),
  machine: z.string(),
  rows: z.array(
    z.object({
      figure: z.string(),
      name: z.string(),
      value: z.string(),
      target: z.string(),
      isMet: z.boolean().nullable(),
      note: z.string(),
      /** Date of this row's measurement: figures can be measured one by one. */
      date: z.iso.date(),
    }),
  ),
})
type Results = z.infer<typeof resultsShape>

/**
 * Writes the measured rows to results/<date>.json and to the table of the README. Figures that this run has not measured keep their
 * newest rows; a run of all figures drops those. Returns the file's path.
 */
export function keepResults(rows: Row[], isWhole: boolean): string {
  const date = new Date().toISOString().slice(0, 10)
  const measured = new Set(rows.map(({ figure }) => figure))
  const kept = isWhole ? [] : newestRows().filter(({ figure }) => !measured.has(figure))
  // A load above the number of cores shows that other programs were running, so that times mean less.
  const load = (loadavg()[1] ?? 0).toFixed(1)
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.version}, load average ${load}`
  const results: Results = { date, machine, rows: [...kept, ...rows.map((row) => ({ ...row, date }))] }
  const file = path.join(FOLDER, `${date}.json`)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  writeTable(results)
  return path.relative(process.cwd(), file)
}

function newestRows(): Results['rows'] {
  const newest = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .at(-1)
  return newest === undefined ? [] : resultsShape.parse(JSON.parse(readFileSync(path.join(FOLDER, newest), 'utf8'))).rows
}

function writeTable({ machine, date, rows }: Results): void {
  const text = readFileSync(README, 'utf8')
  const [from, to] = [text.indexOf(START), text.indexOf(END)]
  if (from < 0 || to < from) throw new Error(`bench/README.md has lost its markers ${START} and ${END}`)
  const cell = (words: string) => words.replaceAll('|', '\\|')
  const lines = rows.map(({ figure, name, value, target, isMet, note, date: measuredOn }) => {
    const verdict = isMet === null ? '' : isMet ? 'yes' : '**no**'
    const words = measuredOn === date ? note : `${note} (${measuredOn})`
    return `| ${[figure, name, value, target, verdict, words].map(cell).join(' | ')} |`
  })
  const table = [
    `Measured on ${date}: ${machine}.`,
    '',
    '| figure | what | measured | target | met | beside it |',
    '|---|---|---|---|---|---|',
    ...lines,
  ]
  writeFileSync(README, `${text.slice(0, from)}${START}\n${table.join('\n')}\n${text.slice(to)}`)
}
