import { expect, test } from 'vitest'
import { newsOf } from './news.ts'
import type { ShownMessage } from './store.ts'

const message = (seq: number | null, text: string, more: Partial<ShownMessage> = {}): ShownMessage => ({
  id: text,
  seq,
  at: '2026-11-20T09:00:00.000Z',
  isMine: false,
  status: null,
  reason: null,
  body: { kind: 'text', text },
  isOutOfPlace: false,
  ...more,
})
const words = (before: ShownMessage[], now: ShownMessage[]) => newsOf(before, now, 'Bob').map((news) => news.words)

test('Of two messages that come at once both are announced, once, and an older page is not', () => {
  const first = message(3, 'one')
  const both = [first, message(4, 'two'), message(5, 'three')]
  expect(words([first], both)).toEqual(['Bob: two', 'Bob: three'])
  expect(words(both, both)).toEqual([])
  expect(words(both, [message(1, 'old'), message(2, 'older'), ...both])).toEqual([])
})

test('What Alice sends is not read back to her; that it has failed is said, once', () => {
  const own = (status: ShownMessage['status']) => message(null, 'mine', { isMine: true, status, reason: 'No connection' })
  expect(words([], [own('sending')])).toEqual([])
  expect(words([own('sending')], [own('failed')])).toEqual(['Not sent. No connection'])
  expect(words([own('failed')], [own('failed')])).toEqual([])
  expect(words([own('sending')], [message(6, 'mine', { isMine: true, status: 'sent' })])).toEqual([])
})
