/** Says in plain words why there is no onion service. */
export class OnionError extends Error {
  override name = 'OnionError'
}

export function wordsOf(error: unknown, folder: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk is full: tor and the onion key need space in ${folder}`
  if (code === 'EACCES' || code === 'EPERM') return `The account that runs Conclave may not read and write ${folder}`
  return error instanceof Error ? error.message : String(error)
}
