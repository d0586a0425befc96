/**
 * Reads a planned failure, `<point>:exit` or `<point>:exit:<times>`: the process ends as if by kill -9 when that point is
 * reached for the first or the so-manieth time. undefined without one. Tests only: it shows what survives between COMMIT and
 * the answer.
 */
export function readFault(plan: string | undefined): ((point: string) => void) | undefined {
  const [, planned, times = '1'] = /^(.+):exit(?::(\d+))?$/.exec(plan ?? '') ?? []
  if (planned === undefined) return undefined
  let left = Number(times)
  return (point) => {
    if (point !== planned) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  }
}
