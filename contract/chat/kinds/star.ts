import type { Target } from '../content.ts'

/** The beginning of the name, which no other mark has. */
export const STAR = 'star '

/** The name of a message's star among the marks of its chat [Note: M13]. */
export const starName = ({ senderId, id }: Target): string => `${STAR}${senderId} ${id}`

/** Returns undefined for another mark. */
export function starredBy(name: string): Target | undefined {
  const [senderId, id] = name.startsWith(STAR) ? name.slice(STAR.length).split(' ') : []
  return senderId && id ? { senderId, id } : undefined
}
