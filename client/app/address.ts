/** The sign-in's own address: where a page goes whose session has ended. */
const AUTH = '/auth'

interface Left {
  /** The address that the person left, as a path of this site. */
  path: string
  userId: string
}

/**
 * Shows /auth. Where that person was stays in this entry of the history: it outlives a reload and stands in no address.
 * Without a person nothing of it stays.
 */
export function goToAuth(userId?: string): void {
  const { pathname, search } = location
  if (pathname === AUTH && userId !== undefined) return
  const left: Left | null = userId === undefined ? null : { path: pathname + search, userId }
  history.replaceState({ left }, '', AUTH)
}

/** Behind the sign-in: back to where the same person was, else to the start. Any other address stays. */
export function leaveAuth(userId: string): void {
  if (location.pathname !== AUTH) return
  const state: { left?: Partial<Left> | null } | null = history.state
  const left = state?.left
  const isTheirs = left?.userId === userId && /^\/(?![/\\])/.test(left.path ?? '')
  history.replaceState(null, '', isTheirs ? left.path : '/')
}
