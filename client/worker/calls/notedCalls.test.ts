import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { readDisk } from '../../testing/disk.ts'
import { people } from '../../testing/room.ts'

test('A call under way outlives its page, sealed; its line ends no draft, and goes out as the message of that id', async () => {
  const { wire, alice, bob, roomId } = await people()
  await alice.says(bob, 'hello')
  const callId = randomUUID()
  const note = {
    callId,
    chatRoomId: roomId,
    callType: 'voice',
    answeredAt: 1000,
    seenAt: 61_000,
    isCompared: true,
    outcome: null,
  } as const
  await alice.core.noteCall(note)
  await alice.core.keepDraftText({ chatRoomId: roomId, text: 'half a thought' })
  const next = await alice.newTab(wire)
  expect(await next.core.notedCalls()).toEqual([note])
  expect(JSON.stringify(await readDisk(alice.computer))).not.toContain('answeredAt')
  const content = { type: 'call', callId, callType: 'voice', outcome: 'answered', seconds: 60, isCompared: true } as const
  const line = { id: callId, chatRoomId: roomId, content, replyToId: null, sentAt: new Date().toISOString() }
  await next.core.keepInOutbox(line)
  expect(await next.core.notedCalls()).toEqual([])
  expect(await next.core.readDraft(roomId)).toBe('half a thought')
  await next.sends(next.room(bob))
  const calls = (await bob.reads(alice)).filter(({ body }) => body.kind === 'content' && body.content.type === 'call')
  expect(calls.map(({ id }) => id)).toEqual([callId])
})
