import { expect, test } from 'vitest'
import { remarksOf, writtenAt } from './remarks.ts'
import type { ShownMessage } from './store.ts'

const message = (change: Partial<ShownMessage>): ShownMessage => ({
  ...{ id: 'a', seq: 1, isMine: false, at: '2026-03-04T15:10:00', status: null, reason: null, isOutOfPlace: false },
  body: { kind: 'text', text: 'hello' },
  ...change,
})

test('Bob is told that a message came from a browser that Alice has removed since; of old ones only where he looks for it', () => {
  const words = 'Sent from a browser that Alice has removed since.'
  expect(remarksOf(message({ isRemovedSince: true }), 'Alice')).toEqual({ below: [words], details: [] })
  expect(remarksOf(message({ isRemovedSince: true, isOlder: true }), 'Alice')).toEqual({ below: [], details: [words] })
  expect(remarksOf(message({ isRemovedSince: true, isMine: true }), 'Alice').below).toEqual([
    'Sent from a browser that you have removed since.',
  ])
  expect(remarksOf(message({}), 'Alice')).toEqual({ below: [], details: [] })
})

test('What other browsers will not read is said below it, also among older messages', () => {
  for (const change of [{}, { isOlder: true } as const])
    expect(remarksOf(message({ isArchiveWrong: true, ...change }), 'Alice').below).toHaveLength(1)
})

test('The time that the author signed comes with its day where that is another one', () => {
  expect(writtenAt(message({}))).toBeUndefined()
  expect(writtenAt(message({ sentAt: '2026-03-04T12:05:00' }))).toMatch(/^written 12:05/)
  expect(writtenAt(message({ sentAt: '2026-03-02T12:05:00' }))).toMatch(/^written .*2.* 12:05/)
})
