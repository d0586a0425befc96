import { expect, test } from 'vitest'
import { findInnerWords } from './inner.ts'

const client = (text: string, path = 'client/worker/log/receiveLog.ts') => [{ path, text }]

test('a failure that tells people of rooms, groups or commits is found, also on two lines, as a refusal and as a reason', () => {
  for (const planted of [
    "throw new CryptoFailure('place', 'It was sealed for another room')",
    "throw new CryptoFailure(\n  'mls',\n  'A leaf does not fit',\n)",
    'throw new CryptoFailure(kind, `The keyring of @' + '$' + '{name} is old`)',
    "stale_epoch: { status: 409, text: 'The group has moved on' },",
    "return { ready: false, reason: 'This conversation is busy' }",
  ])
    expect(findInnerWords(client(planted))).toHaveLength(1)
})

test('chats, devices, a browser without room, errors of programs and tests are kept', () => {
  for (const kept of [
    "throw new CryptoFailure('place', 'It was sealed for another chat')",
    "throw new CryptoFailure('quota', 'This browser has no room left')",
    "throw new Error('There is no room')",
    'return { ready: false, reason: `$' + '{peerName(room)} has no device yet` }',
    "throw new CryptoFailure('epoch', 'It was sealed for another state of this chat')",
  ])
    expect(findInnerWords(client(kept))).toEqual([])
  expect(findInnerWords(client("new CryptoFailure('place', 'of another room')", 'client/worker/log/receiveLog.test.ts'))).toEqual(
    [],
  )
})
