import type { TrackedFile } from './tracked.ts'

/** What a decision may be about, in the order of the index. */
const SUBJECTS = [
  'encryption',
  'devices and keys',
  'contacts and trust',
  'browser and vault',
  'messages and rooms',
  'room list',
  'files',
  'account and sign-in',
  'money',
  'administration',
  'news and presence',
  'calls',
  'transfers',
  'screens',
  'served code',
  'database and server',
  'repository',
]

export const INDEX = 'docs/decisions/README.md'
const FOLDER = 'docs/decisions/'
const FILE = /^docs\/decisions\/(\d{4})-[a-z0-9-]+\.md$/
const HEAD = /^# (\d{4}): (.+)\n\nSubject: (.+)\nStatus: (.+)\n(?:Folds in: (.+)\n)?\n/
const NUMBERS = '\\d{4}(?:, \\d{4})*'
const STATUS = new RegExp(`^(?:holds(?:, in part replaced by (${NUMBERS}))?|replaced by (${NUMBERS}))$`)

interface Decision {
  path: string
  number: string
  title: string
  subject: string
  status: string
  /** Numbers of decisions that stand in this one; their files are gone. */
  folded: string[]
}

/**
 * Finds decisions whose first lines say no number, subject and status, statuses and texts that name a decision that is not there, and an
 * index that is not the one that the decisions make.
 */
export function findDecisionFaults(files: TrackedFile[]): string[] {
  const decisions = decisionsIn(files)
  const numbers = new Set(decisions.map(({ number }) => number))
  const folded = new Map(decisions.flatMap(({ folded, number }) => folded.map((old) => [old, number] as const)))
  const gone = (path: string, number: string) => {
    if (numbers.has(number)) return []
    const into = folded.get(number)
    return [into ? `${path}: decision ${number} is folded into ${into}` : `${path}: there is no decision ${number}`]
  }
  const index = files.find(({ path }) => path === INDEX)
  if (decisions.length === 0 && !index) return []
  return [
    ...files.filter(({ path }) => path.startsWith(FOLDER) && path !== INDEX).flatMap(headFaults),
    ...decisions.flatMap(({ path, status }) => numbersIn(status).flatMap((number) => gone(path, number))),
    ...decisions.flatMap(({ path, number }) => (folded.has(number) ? [`${path}: ${number} is folded in and has a file`] : [])),
    ...files
      .filter(({ path }) => path !== INDEX && !path.startsWith('scripts/check/'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\bdecisions?[ /](\d{4})\b/gi)].flatMap(([, number = '']) => gone(path, number)),
      ),
    ...(index?.text === indexOf(files) ? [] : [`${INDEX}: it is not what the decisions say. Run npx tsx scripts/decisions.ts`]),
  ]
}

function headFaults({ path, text }: TrackedFile): string[] {
  const [, ofName] = FILE.exec(path) ?? []
  if (!ofName) return [`${path}: its name is not NNNN-title.md`]
  const [, number, , subject = '', status = '', folded] = HEAD.exec(text) ?? []
  if (!number) return [`${path}: it does not begin with "# ${ofName}: title", then the lines "Subject: ..." and "Status: ..."`]
  return [
    ...(number === ofName ? [] : [`${path}: its heading says ${number}`]),
    ...(SUBJECTS.includes(subject) ? [] : [`${path}: the subject "${subject}" is none of: ${SUBJECTS.join(', ')}`]),
    ...(STATUS.test(status) ? [] : [`${path}: the status is "holds", "holds, in part replaced by NNNN" or "replaced by NNNN"`]),
    ...(folded === undefined || new RegExp(`^${NUMBERS}$`).test(folded) ? [] : [`${path}: "Folds in" lists numbers`]),
  ]
}

function decisionsIn(files: TrackedFile[]): Decision[] {
  return files
    .filter(({ path }) => FILE.test(path))
    .flatMap(({ path, text }) => {
      const [, number, title = '', subject = '', status = '', folded = ''] = HEAD.exec(text) ?? []
      return number ? [{ path, number, title, subject, status, folded: numbersIn(folded) }] : []
    })
    .sort((one, other) => one.number.localeCompare(other.number))
}

const numbersIn = (text: string): string[] => text.match(/\d{4}/g) ?? []

/** The text of docs/decisions/README.md: the decisions by subject, and the numbers that have no file. */
export function indexOf(files: TrackedFile[]): string {
  const decisions = decisionsIn(files)
  const linked = (number: string) => {
    const path = decisions.find((decision) => decision.number === number)?.path
    return path ? `[${number}](${path.slice(FOLDER.length)})` : number
  }
  const row = ({ number, title, status }: Decision) => `| ${linked(number)} | ${title} | ${status.replace(/\d{4}/g, linked)} |`
  const chapters = SUBJECTS.flatMap((subject) => {
    const rows = decisions.filter((decision) => decision.subject === subject).map(row)
    return rows.length === 0 ? [] : [`## ${subject[0]?.toUpperCase()}${subject.slice(1)}`, '', ...TABLE, ...rows, '']
  })
  const folded = new Map(decisions.flatMap(({ folded, number }) => folded.map((old) => [old, number] as const)))
  const taken = new Set(decisions.map(({ number }) => number))
  const last = Number(decisions.at(-1)?.number ?? 0)
  const gone = Array.from({ length: last }, (_, at) => String(at + 1).padStart(4, '0')).filter((number) => !taken.has(number))
  const where = (number: string) => {
    const into = folded.get(number)
    return `| ${number} | ${into ? `folded into ${linked(into)}` : 'not used'} |`
  }
  const missing = ['## Numbers without a file', '', '| number | |', '|---|---|', ...gone.map(where)]
  return `${[...INTRO, ...chapters, ...(gone.length > 0 ? missing : [])].join('\n').trimEnd()}\n`
}

const TABLE = ['| number | decision | status |', '|---|---|---|']
const INTRO = [
  '# Decisions',
  '',
  'Why things are as they are, by subject. `npx tsx scripts/decisions.ts` writes this page from the first lines of the files;',
  '`npm run check` compares it.',
  '',
]
