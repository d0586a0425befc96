import type { AddressChoice, Book } from './book.ts'
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

type Chosen<C extends { n: number }> = C | undefined

const isChosenAhead = <C extends { n: number }>(mine: Chosen<C>, theirs: Chosen<C>): boolean =>
  (theirs?.n ?? 0) > (mine?.n ?? 0) + AHEAD_MAX

/** More changes win, then what hides more: both browsers come to the same. */
function mergedChoice<C extends { n: number }>(mine: Chosen<C>, theirs: Chosen<C>, hiding: (choice: C) => number): Chosen<C> {
  if (!theirs || isChosenAhead(mine, theirs)) return mine
  if (!mine || theirs.n > mine.n) return theirs
  return theirs.n === mine.n && hiding(theirs) >= hiding(mine) ? theirs : mine
}

const hiddenBy = ({ choice }: AddressChoice): number => (choice === 'shown' ? 0 : choice === 'default' ? 1 : 2)

export const isCountedAhead = (mine: Book, theirs: Book): boolean =>
  isChosenAhead(mine.addressChoice, theirs.addressChoice) ||
  isChosenAhead(mine.newTimer, theirs.newTimer) ||
  (['deviceNames', 'contactNames', 'blocks', 'locks'] as const).some((list) =>
    Object.entries(theirs[list] ?? {}).some(([id, { n }]) => n > (mine[list]?.[id]?.n ?? 0) + AHEAD_MAX),
  )

export function mergedEntries(
  mine: Book,
  theirs: Book,
): Pick<Book, 'deviceNames' | 'contactNames' | 'blocks' | 'clears' | 'locks' | 'addressChoice' | 'newTimer'> {
  const rooms = [...Object.keys(mine.clears ?? {}), ...Object.keys(theirs.clears ?? {})]
  const clears = rooms.map((room) => [room, Math.max(mine.clears?.[room] ?? 0, theirs.clears?.[room] ?? 0)] as const)
  const [deviceNames, contactNames] = [
    merged(mine.deviceNames, theirs.deviceNames),
    merged(mine.contactNames, theirs.contactNames),
  ]
  const addressChoice = mergedChoice(mine.addressChoice, theirs.addressChoice, hiddenBy)
  const newTimer = mergedChoice(mine.newTimer, theirs.newTimer, ({ seconds }) => (seconds === 0 ? 0 : 1 / seconds))
  const [blocks, locks] = [merged(mine.blocks, theirs.blocks), merged(mine.locks, theirs.locks)]
  return {
    ...(deviceNames && { deviceNames }),
    ...(contactNames && { contactNames }),
    ...(blocks && { blocks }),
    ...(locks && { locks }),
    ...(addressChoice && { addressChoice }),
    ...(newTimer && { newTimer }),
    ...(rooms.length > 0 && { clears: Object.fromEntries(clears) }),
  }
}
