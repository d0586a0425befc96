import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { type Book, EMPTY } from './book.ts'
import { withoutOverflow } from './bookSize.ts'

const bytesOf = (book: Book) => new TextEncoder().encode(JSON.stringify(book)).length
const named = (count: number, alias: string) => Object.fromEntries(Array.from({ length: count }, () => [randomUUID(), alias]))

test('However often a stolen browser writes, the book of its owner stays so small that the server takes it', () => {
  const most = LIMITS.bookSavedBytes - 256 * 1024
  let own: Book = { ...EMPTY.book, aliases: named(9700, 'a'.repeat(250)) }
  const takes = (aliases: Record<string, string>) => {
    const taken = withoutOverflow(own, { ...own, aliases: { ...own.aliases, ...aliases } }, new Set())
    own = { ...own, aliases: { ...own.aliases, ...taken.book.aliases } }
    return taken.hasDropped
  }
  for (let save = 0; save < 3; save++) takes(named(600, 'a'.repeat(10)))
  expect(bytesOf(own)).toBeLessThanOrEqual(most)
  // Not with more entries, but with longer ones.
  expect(takes(Object.fromEntries(Object.keys(own.aliases).map((id) => [id, 'a'.repeat(500)])))).toBe(true)
  expect(bytesOf(own)).toBeLessThanOrEqual(most)
  // One decision of the account is no list: a full book takes it.
  const addressChoice = { choice: 'hidden', n: 1 }
  expect(withoutOverflow(own, { ...own, aliases: named(600, 'a'), addressChoice }, new Set()).book.addressChoice).toEqual(
    addressChoice,
  )
})
