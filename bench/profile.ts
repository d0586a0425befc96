import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { scratchFolder } from './scratch.ts'

const profileShape = z.object({
  nodes: z.array(
    z.object({ id: z.number(), callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }) }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
})

const SHOWN = 14

/** Profiles the product's servers of this run. After they have ended, `print` writes their CPU time by function. */
export function makeProfiler() {
  const folder = scratchFolder('profile')
  return {
    words: ['--cpu-prof', '--cpu-prof-dir', folder],
    print() {
      for (const file of readdirSync(folder)) {
        const text = readFileSync(path.join(folder, file), 'utf8')
        rmSync(path.join(folder, file))
        const { packages, functions, busyMs } = summaryOf(profileShape.parse(JSON.parse(text)))
        console.log(`          ${busyMs.toFixed(0)} ms of work: ${packages.join(', ')}`)
        for (const each of functions) console.log(`            ${each}`)
      }
    },
  }
}

function summaryOf({ nodes, samples, timeDeltas }: z.infer<typeof profileShape>) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const packages = new Map<string, number>()
  const functions = new Map<string, number>()
  let busyMs = 0
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id)
    if (!frame || frame.functionName === '(idle)' || frame.functionName === '(program)') continue
    const ms = (timeDeltas[at] ?? 0) / 1000
    const place = placeOf(frame.url)
    busyMs += ms
    packages.set(place, (packages.get(place) ?? 0) + ms)
    const name = `${frame.functionName || `anonymous:${frame.lineNumber + 1}`} (${place})`
    functions.set(name, (functions.get(name) ?? 0) + ms)
  }
  const top = (all: Map<string, number>) =>
    [...all]
      .sort((a, b) => b[1] - a[1])
      .slice(0, SHOWN)
      .map(([name, ms]) => `${((100 * ms) / busyMs).toFixed(1)} % ${name}`)
  return { packages: top(packages), functions: top(functions), busyMs }
}

function placeOf(url: string): string {
  const [, found] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  if (found) return found
  if (url.startsWith('node:')) return url.split('/')[0] ?? url
  return url === '' ? 'V8' : path.basename(url)
}
