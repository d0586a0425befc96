import { expect, test } from 'vitest'
import { type Pinned, pinnedIn, withPins } from './pin.ts'

const pin = (id: string, seq: number, on = true): Pinned => ({ senderId: 'alice', id, seq, place: 1, on })
const shown = (pins: Pinned[]) => pinnedIn(pins).map(({ id }) => id)

test('Of a message the last pin says, in whatever order they come', () => {
  const told = [pin('a', 1), pin('b', 2), pin('a', 3, false), pin('c', 4), pin('d', 5), pin('e', 6), pin('b', 7, false)]
  const orders = [told, told.toReversed(), [...told.slice(3), ...told.slice(0, 3)]]
  for (const order of orders) {
    const one = order.reduce<Pinned[]>((pins, next) => withPins(pins, [next]), [])
    expect(shown(one)).toEqual(['e', 'd', 'c'])
    expect(withPins([], order)).toEqual(one)
    expect(one.flatMap(({ id, on }) => (on ? [] : [id]))).toEqual(['a', 'b'])
  }
  expect(shown(withPins(withPins([], told), [pin('d', 8, false)]))).toEqual(['e', 'c'])
})

test('An id of somebody else is another message', () => {
  const both = withPins([pin('a', 1)], [{ ...pin('a', 2), senderId: 'bob' }])
  expect(pinnedIn(both).map(({ senderId }) => senderId)).toEqual(['bob', 'alice'])
})

test('However many are taken off, what is pinned stays, and what is kept is bounded', () => {
  const off = Array.from({ length: 200 }, (_, n) => pin(`x${n}`, n + 2, false))
  const pins = withPins([pin('a', 1)], off)
  expect(shown(pins)).toEqual(['a'])
  expect(pins).toHaveLength(26)
  expect(
    withPins(
      pins,
      Array.from({ length: 200 }, (_, n) => pin(`y${n}`, n + 300)),
    ),
  ).toHaveLength(50)
})
