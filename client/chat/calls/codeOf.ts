/** '' of a bug. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** A closed account has failed at nothing. */
export function reportBug(error: unknown): void {
  if (!['closed', 'vault_closed', 'room_locked', 'not_signed_in', 'offline', 'no_answer'].includes(codeOf(error)))
    globalThis.reportError?.(error)
}
