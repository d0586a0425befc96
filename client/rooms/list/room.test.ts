import { expect, test } from 'vitest'
import { FRIENDS } from '../../testing/direct.ts'
import { deliveryOf, isAwaited, markOf, personIdOfDirect, type Room, withMark } from './room.ts'

const ALICE = 'alice'
const BOB = 'bob'
const CAROL = 'carol'

/** Alice's view of a room of three in which nobody has received a message. */
const three = (marks: Room['marks'] = {}) => ({
  direct: null,
  ownId: ALICE,
  memberIds: [ALICE, BOB, CAROL],
  marks,
})
const received = (deliveredSeq: number, readSeq = 0) => ({ deliveredSeq, readSeq })

test('Of three members, a message has come as far as with the one who is furthest behind', () => {
  expect(deliveryOf(three(), 5)).toBe('sent')
  expect(deliveryOf(three({ [BOB]: received(9, 9) }), 5)).toBe('sent')
  expect(deliveryOf(three({ [BOB]: received(9, 9), [CAROL]: received(4) }), 5)).toBe('sent')
  expect(deliveryOf(three({ [BOB]: received(9, 9), [CAROL]: received(5) }), 5)).toBe('delivered')
  expect(deliveryOf(three({ [BOB]: received(9, 9), [CAROL]: received(5, 4) }), 5)).toBe('delivered')
  expect(deliveryOf(three({ [BOB]: received(9, 5), [CAROL]: received(5, 5) }), 5)).toBe('read')
})

test('The own marks say nothing of how far an own message has come', () => {
  expect(deliveryOf(three({ [ALICE]: received(9, 9) }), 5)).toBe('sent')
  const everybodyElse = { [BOB]: received(5, 5), [CAROL]: received(5, 5) }
  expect(deliveryOf(three({ [ALICE]: received(0, 0), ...everybodyElse }), 5)).toBe('read')
})

test('What was read counts as delivered, also where the mark of delivery was lost', () => {
  expect(deliveryOf(three({ [BOB]: received(0, 5), [CAROL]: received(5) }), 5)).toBe('delivered')
})

test('A mark moves one member on, and never back', () => {
  const marks = withMark(withMark({}, BOB, received(5, 3)), CAROL, received(2))
  expect(withMark(marks, BOB, received(4, 4))).toEqual({ [BOB]: received(5, 4), [CAROL]: received(2) })
  expect(markOf({ marks }, ALICE)).toEqual(received(0))
})

test('The other person of a room exists where there are two members', () => {
  expect(personIdOfDirect({ direct: FRIENDS, ownId: BOB, memberIds: [ALICE, BOB] })).toBe(ALICE)
  expect(personIdOfDirect(three())).toBeUndefined()
})

test('A request that was sent reads as one until the server says that it was answered', () => {
  const sent = { direct: { ...FRIENDS, hasAnswered: false }, isClosed: false }
  expect(isAwaited(sent)).toBe(true)
  expect(isAwaited({ ...sent, direct: FRIENDS })).toBe(false)
  expect(isAwaited({ ...sent, isClosed: true })).toBe(false)
  expect(isAwaited({ ...sent, direct: { ...sent.direct, state: 'pending' } })).toBe(false)
})
