import type { TrackedFile } from './tracked.ts'

interface Import {
  from: string
  to: string
}

/**
 * Finds folders of client/ or server/ that import each other in a circle, type imports included. Files directly in client/ or
 * server/ do not count: app.ts, main.ts and the entries assemble all features, and `findRootImports` checks the others.
 */
export function findFolderCycles(files: TrackedFile[]): string[] {
  const imports = files.filter(({ path }) => isProduct(path)).flatMap(importsOf)
  const folders = [...new Set(imports.map(({ from }) => folderOf(from)))].sort()
  const cycles = folders.map((folder) => shortestCycle(folder, imports)).filter((cycle) => cycle !== undefined)
  // The same circle is found from each of its folders.
  const byFolders = new Map(
    cycles.map((cycle) => [
      cycle
        .map(({ from }) => folderOf(from))
        .sort()
        .join(' '),
      cycle,
    ]),
  )
  return [...byFolders.values()].map((cycle) => {
    const steps = cycle.map(({ from, to }) => `${from} imports ${to}`)
    return `${steps.join(', ')}. Move what both need into a folder below them`
  })
}

/**
 * Finds files of the server's root that import a folder. Every folder imports env.ts, config.ts and refuse.ts, so these may import
 * none; env.ts may import types. main.ts, app.ts and what app.ts is made of (everyjob.ts, sockets.ts) assemble all folders.
 */
export function findRootImports(files: TrackedFile[]): string[] {
  return files
    .filter(
      ({ path }) => /^server\/[^/]+[.]ts$/.test(path) && !/[.]test[.]ts$|^server\/(main|app|everyjob|sockets)[.]ts$/.test(path),
    )
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:import|export) (?!type\b)[^']*'[.]\/([^/']+\/[^']+)'/gm)].map(
        ([, target]) =>
          `${path} runs ${target}. Only main.ts, app.ts, everyjob.ts and sockets.ts import folders; a type is named with "import type"`,
      ),
    )
}

const isProduct = (path: string) =>
  /^(client|server)\/[^/]+\/.*[.]tsx?$/.test(path) && !/[.]test[.]tsx?$|^(client|server)\/testing\/|\/testing[.]ts$/.test(path)

const folderOf = (path: string) => path.split('/').slice(0, -1).join('/')

function importsOf({ path, text }: TrackedFile): Import[] {
  return [...text.matchAll(/\b(?:from|import|import\() ?'([.][^'?]+)/g)]
    .map(([, target = '']) => ({ from: path, to: new URL(target, `file:///${path}`).pathname.slice(1) }))
    .filter(({ from, to }) => isProduct(to) && folderOf(to) !== folderOf(from))
}

/** The shortest chain of imports that leads from a folder back to it. */
function shortestCycle(start: string, imports: Import[]): Import[] | undefined {
  const seen = new Set<string>()
  let paths: Import[][] = [[]]
  while (paths.length > 0) {
    const longer: Import[][] = []
    for (const path of paths) {
      const last = path.at(-1)
      const folder = last ? folderOf(last.to) : start
      for (const next of imports.filter(({ from }) => folderOf(from) === folder)) {
        const target = folderOf(next.to)
        if (target === start) return [...path, next]
        if (seen.has(target)) continue
        seen.add(target)
        longer.push([...path, next])
      }
    }
    paths = longer
  }
  return undefined
}
