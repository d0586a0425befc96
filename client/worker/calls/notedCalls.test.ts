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

test('Two tabs that start after a crash write one line, and a note that outlived its line writes none', async () => {
  const { wire, alice, bob, roomId } = await people()
  await alice.says(bob, 'hello')
  const other = await alice.newTab(wire)
  const callId = randomUUID()
  const content = { type: 'call', callId, callType: 'voice', outcome: 'failed', seconds: 0, isCompared: false } as const
  const line = { id: callId, chatRoomId: roomId, content, replyToId: null, sentAt: new Date().toISOString() }
  await alice.core.keepInOutbox(line)
  const [kept] = await alice.core.outbox(roomId)
  const note = { callId, chatRoomId: roomId, callType: 'voice', answeredAt: null, seenAt: 1000, isCompared: false } as const
  const writesAgain = async () => {
    await other.core.noteCall({ ...note, outcome: 'failed' })
    await other.core.keepInOutbox(line)
    expect(await other.core.notedCalls()).toEqual([])
  }
  await writesAgain()
  expect(await alice.core.outbox(roomId)).toEqual([kept])
  await alice.sends(alice.room(bob))
  await writesAgain()
  expect(await alice.core.outbox(roomId)).toEqual([])
  expect((await bob.reads(alice)).filter(({ id }) => id === callId)).toHaveLength(1)
})

test('However many lines of one call a contact writes, none is hidden, so a page of the chat is read as soon as any other', async () => {
  const { alice, bob, roomId } = await people()
  await bob.says(alice, 'hello')
  const callId = randomUUID()
  const content = { type: 'call', callId, callType: 'video', outcome: 'answered', seconds: 604_800, isCompared: true } as const
  const ids = [randomUUID(), randomUUID(), randomUUID()]
  for (const id of ids) {
    const line = { id, chatRoomId: roomId, content, replyToId: null, sentAt: new Date().toISOString() }
    await bob.core.keepInOutbox(line)
  }
  await bob.sends(bob.room(alice))
  await alice.reads(bob)
  const { messages } = await alice.core.page({ chatRoomId: roomId, limit: 2 })
  expect(messages.map(({ id }) => id)).toEqual(ids.slice(1))
})
