import type { TrackedFile } from './tracked.ts'

const ROOTS = 'client|server|contract|e2e|walks|faults|bench|scripts|docs'
const FILE = '[\\w.-]+[.](?:ts|tsx|mjs|cjs|css|html|md|sql)'
/** `client/net/`, `client/net/api.ts`, `server/app.ts`: a path from the root. */
const PATH = new RegExp(`^(?:${ROOTS})/[\\w./-]*$`)
/** `routes.ts`, `keys/ways.ts`: a name that is looked for where the document belongs. */
const NAME = new RegExp(`^(?:[\\w.-]+/)*${FILE}$`)

/** What names files of before on purpose, or what a run makes. */
const EXEMPT = /^(CHANGELOG\.md|docs\/moved\.md|docs\/decisions\/|bench\/)/

/** A line of a tree: names with one space between them, and a caption behind two spaces or more. */
const LINE = /^( *)(\w[\w.<>/-]*(?: [\w.<][\w.<>/-]*)*)(?: {2,}.*)?$/

/**
 * Finds paths that a document names and that are not there: in backticks, and in a fenced tree whose lines begin with a path from the
 * root, below which indented lines name what is inside. A README beside code may name the files of its wing without their folder. A
 * name with a placeholder (`<noun>`) is no path.
 */
export function findGonePaths(files: TrackedFile[]): string[] {
  const there = thereIn(files.map(({ path }) => path))
  return files
    .filter(({ path }) => path.endsWith('.md') && !EXEMPT.test(path))
    .flatMap(({ path, text }) => {
      const gone = named(text, path).filter(({ name, wing }) => !there(name, wing))
      return [...new Set(gone.map(({ name }) => `${path}: ${name} is not there`))]
    })
}

/** True if a path is a file or folder. `wing` is where a name without its folder has to be; '' for anywhere. */
function thereIn(paths: string[]): (name: string, wing: string) => boolean {
  const all = new Set(paths.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))))
  return (name, wing) => {
    const bare = name.replace(/\/$/, '')
    if (all.has(bare)) return true
    return !PATH.test(name) && paths.some((path) => path.startsWith(wing) && path.endsWith(`/${bare}`))
  }
}

interface Named {
  name: string
  wing: string
}

function named(text: string, path: string): Named[] {
  const [wing = ''] = /^(client|server)\/[^/]+\//.exec(path) ?? []
  const fences = [...text.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, lines = '']) => lines)
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '')
  const ticked = [...prose.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name)
  return [
    ...ticked.filter((name) => PATH.test(name) || NAME.test(name)).map((name) => ({ name, wing })),
    ...fences.flatMap(inTree).map((name) => ({ name, wing: '' })),
  ]
}

/** The paths of a fenced tree, from the root. */
function inTree(lines: string): string[] {
  const open: { indent: number; folder: string }[] = []
  return lines.split('\n').flatMap((line) => {
    const [, { length: indent } = '', names = ''] = LINE.exec(line) ?? []
    if (indent === 0 && !PATH.test(names.split(' ')[0] ?? '')) {
      open.length = 0
      return []
    }
    while (open.length > 0 && (open.at(-1)?.indent ?? 0) >= indent) open.pop()
    const parent = open.at(-1)
    if (indent > 0 && !parent) return []
    const found = names
      .split(' ')
      .filter((name) => name !== '' && !name.includes('<'))
      .map((name) => `${parent?.folder ?? ''}${name}`)
    const folder = found.findLast((name) => name.endsWith('/'))
    if (folder) open.push({ indent, folder })
    return found
  })
}
