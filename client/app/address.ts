/** The address of the sign-in, which a page shows after its session has ended. */
const AUTH = '/auth'

interface Left {
  /** The address that the person left, as a path of this site. */
  path: string
  userId: string
}

/**
 * Shows /auth. Stores the person's last address in this history entry's state, which survives a reload and is no part of the URL.
 * Without a person it stores nothing.
 */
export function goToAuth(userId?: string): void {
  const { pathname, search } = location
  if (pathname === AUTH && userId !== undefined) return
  const left: Left | null = userId === undefined ? null : { path: pathname + search, userId }
  history.replaceState({ left }, '', AUTH)
}

/** After the sign-in, returns to the same person's last address, or else to the start. Does nothing outside /auth. */
export function leaveAuth(userId: string): void {
  if (location.pathname !== AUTH) return
  const state: { left?: Partial<Left> | null } | null = history.state
  const left = state?.left
  const isTheirs = left?.userId === userId && /^\/(?![/\\])/.test(left.path ?? '')
  history.replaceState(null, '', isTheirs ? left.path : '/')
}
