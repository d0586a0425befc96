import type { Book } from './book.ts'
import { AHEAD_MAX } from './pins.ts'

type Counted = Record<string, { n: number }>

/** More changes win, then the server's entry. */
function merged<Entries extends Counted>(mine: Entries | undefined, theirs: Entries | undefined): Entries | undefined {
  if (!mine && !theirs) return undefined
  const taken = Object.entries(theirs ?? {}).filter(([id, { n }]) => {
    const own = mine?.[id]?.n ?? 0
    return n >= own && n <= own + AHEAD_MAX
  })
  return { ...mine, ...Object.fromEntries(taken) } as Entries
}

export const isCountedAhead = (mine: Book, theirs: Book): boolean =>
  (['deviceNames', 'contactNames', 'blocks', 'locks'] as const).some((list) =>
    Object.entries(theirs[list] ?? {}).some(([id, { n }]) => n > (mine[list]?.[id]?.n ?? 0) + AHEAD_MAX),
  )

export function mergedEntries(
  mine: Book,
  theirs: Book,
): Pick<Book, 'deviceNames' | 'contactNames' | 'blocks' | 'clears' | 'locks'> {
  const rooms = [...Object.keys(mine.clears ?? {}), ...Object.keys(theirs.clears ?? {})]
  const clears = rooms.map((room) => [room, Math.max(mine.clears?.[room] ?? 0, theirs.clears?.[room] ?? 0)] as const)
  const [deviceNames, contactNames] = [
    merged(mine.deviceNames, theirs.deviceNames),
    merged(mine.contactNames, theirs.contactNames),
  ]
  const [blocks, locks] = [merged(mine.blocks, theirs.blocks), merged(mine.locks, theirs.locks)]
  return {
    ...(deviceNames && { deviceNames }),
    ...(contactNames && { contactNames }),
    ...(blocks && { blocks }),
    ...(locks && { locks }),
    ...(rooms.length > 0 && { clears: Object.fromEntries(clears) }),
  }
}
