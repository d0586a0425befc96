/**
 * Parses a planned failure for tests, `<point>:exit` or `<point>:exit:<times>`. Returns a function that ends the process, as
 * SIGKILL would, when it is called with that point for the first or the given time; undefined without a plan. Tests use it to
 * check what survives a crash between COMMIT and the response.
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
