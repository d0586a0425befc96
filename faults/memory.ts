import { readFileSync } from 'node:fs'

/** Resident memory of a process, in MB; 0 on systems other than Linux. */
export function rssMb(pid: number): number {
  if (process.platform !== 'linux') return 0
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes ?? 0) / 1024
}

export const growthMb = (before: number, after: number): string => `memory ${before.toFixed(0)} to ${after.toFixed(0)} MB`

/** For NODE_OPTIONS: SIGUSR2 makes the program collect garbage, so that the memory measured is in use. */
const COLLECT = `import v8 from 'node:v8';import vm from 'node:vm';v8.setFlagsFromString('--expose-gc');const gc=vm.runInNewContext('gc');process.on('SIGUSR2',()=>{gc();gc()})`
export const COLLECTS = `--import=data:text/javascript,${COLLECT.replaceAll(' ', '%20')}`

/** Memory of a process after garbage collections, in MB: the least of a few measurements. */
export async function heldMb(pid: number): Promise<number> {
  const looks: number[] = []
  for (let look = 0; look < 4; look++) {
    process.kill(pid, 'SIGUSR2')
    await new Promise((wake) => setTimeout(wake, 400))
    looks.push(rssMb(pid))
  }
  return Math.min(...looks)
}
