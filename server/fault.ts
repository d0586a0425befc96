/**
 * Reads a planned failure, `<point>:exit`: the process ends as if by kill -9 when that point is first reached.
 * undefined without one. Tests only: it shows what survives between COMMIT and the answer.
 */
export function readFault(plan: string | undefined): ((point: string) => void) | undefined {
  if (!plan?.endsWith(':exit')) return undefined
  const planned = plan.slice(0, -':exit'.length)
  return (point) => {
    if (point === planned) process.kill(process.pid, 'SIGKILL')
  }
}
