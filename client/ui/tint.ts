/** The tints of pieces.css. */
const TINTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const
export type Tint = (typeof TINTS)[number]

/** The tint of a person, by the id of the account: the same on every screen. It has no other meaning. */
export function tintOf(userId: string): Tint {
  // FNV-1a, whose last characters reach the high bits only after one more step.
  let hash = 0x811c9dc5
  for (const character of userId) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return TINTS[Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 29] ?? 'a'
}
