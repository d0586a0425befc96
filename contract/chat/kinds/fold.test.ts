import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { CallContent } from '../content.ts'
import { foldEntries } from './fold.ts'

const content = (callId: string): CallContent => ({
  ...{ type: 'call', callId, callType: 'voice', outcome: 'answered', seconds: 5, isCompared: false },
})

test('A second line of one call is not shown, and nobody hides the line of somebody else', () => {
  const callId = randomUUID()
  const of = (id: string, senderId: string, at = callId) => ({ id, senderId, body: { kind: 'content', content: content(at) } })
  const entries = [of('first', 'alice'), of('again', 'alice'), of('forged', 'bob'), of('another', 'alice', randomUUID())]
  expect(foldEntries(entries).map(({ id }) => id)).toEqual(['first', 'forged', 'another'])
  const waiting = ['one', 'two'].map((id) => ({ id, content: content(callId) }))
  expect(foldEntries(waiting).map(({ id }) => id)).toEqual(['one'])
})
