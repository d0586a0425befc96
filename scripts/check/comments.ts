import type { TrackedFile } from './tracked.ts'

/** The most words of comments per 100 lines that each folder may have, by its path. `npm run check` lets a number only fall. */
export type Ceilings = Readonly<Record<string, number>>

const isCounted = (path: string) =>
  /^(client|server|contract)\/.*[.]tsx?$/.test(path) && !/[.]test[.]tsx?$|^(client|server)\/testing\/|\/testing[.]ts$/.test(path)

/** Folders two deep, such as client/chat/files; a file that lies higher counts for the folder that it lies in. */
const folderOf = (path: string) => path.split('/').slice(0, -1).slice(0, 3).join('/')

/** The comments of a source text, without their marks. Strings and templates may have slashes and stars. */
export function commentsOf(text: string): string[] {
  const tokens =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*|\/\/([^\n]*)|\/\*([\s\S]*?)\*\//g
  return [...text.matchAll(tokens)]
    .map(([, line, block]) => line ?? block)
    .filter((comment) => comment !== undefined)
    .map((comment) => comment.replace(/\n\s*\*/g, ' ').replace(/^[\s*]+|[\s*]+$/g, ''))
}

/** Words of comments per 100 lines, rounded up, by folder. */
export function commentVolumes(files: TrackedFile[]): Map<string, number> {
  const sums = new Map<string, { words: number; lines: number }>()
  for (const { path, text } of files.filter(({ path }) => isCounted(path))) {
    const sum = sums.get(folderOf(path)) ?? { words: 0, lines: 0 }
    sum.words += commentsOf(text).reduce((words, comment) => words + (comment.match(/\w+/g)?.length ?? 0), 0)
    sum.lines += text.split('\n').length - 1
    sums.set(folderOf(path), sum)
  }
  return new Map([...sums].map(([folder, { words, lines }]) => [folder, Math.ceil((100 * words) / Math.max(lines, 1))]))
}

/** Finds folders that say more than before. A folder without a number is new, and may have 70. */
export function findTalkativeFolders(files: TrackedFile[], ceilings: Ceilings): string[] {
  return [...commentVolumes(files)].flatMap(([folder, volume]) => {
    const ceiling = ceilings[folder] ?? 70
    return volume > ceiling ? [`${folder}: ${volume} words of comments per 100 lines, at most ${ceiling}. Let names say it`] : []
  })
}

/** Openings that have no subject of their own: the reader learns only at the end of what is spoken. */
const WITHOUT_SUBJECT =
  /^(Of|While|Where|Whether|Whoever|Whatever|Once|So|Among|Behind|Else|Also|As if|Whose|Those (who|that|of)) /

/** Finds comments that open without a subject. */
export function openingsWithoutSubject(files: TrackedFile[]): string[] {
  return files
    .filter(({ path }) => isCounted(path))
    .flatMap(({ path, text }) =>
      commentsOf(text)
        .filter((comment) => WITHOUT_SUBJECT.test(comment))
        .map((comment) => `${path}: "${comment.slice(0, 60)}". Begin with the subject`),
    )
}

/** Says which comments open without a subject once there are more than `atMost`. */
export function findOpeningsWithoutSubject(files: TrackedFile[], atMost: number): string[] {
  const found = openingsWithoutSubject(files)
  return found.length > atMost ? [...found, `${found.length} comments open without a subject, at most ${atMost}`] : []
}
