import { beforeEach, expect, test } from 'vitest'
import type { CallContent } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { refreshPreview } from './preview.ts'
import { changeRoom, hasMissedCall, putRooms, type RoomRow, resetRooms, roomById } from './roomList.ts'

const row = { id: 'room', ownId: 'alice', memberIds: ['alice', 'bob'], marks: {}, lastSeq: 1, lock: 'none', unreadCount: 0 }

beforeEach(() => {
  resetRooms()
  putRooms([row as unknown as RoomRow])
})

async function previewed(senderId: string, outcome: CallContent['outcome']): Promise<RoomRow['preview'] | undefined> {
  const content = { type: 'call', callId: 'call', callType: 'video', outcome, seconds: 0, isCompared: false }
  const messages = [{ id: 'line', seq: 1, at: '2026-11-26T11:00:00Z', senderId, body: { kind: 'content', content } }]
  const env = { crypto: { page: async () => ({ messages }), outbox: async () => [] } } as unknown as Env
  await refreshPreview(env, row as unknown as RoomRow)
  return roomById('room')?.preview
}

const isMarked = () => hasMissedCall(roomById('room') as RoomRow)

test('Only whoever was called has missed a call', async () => {
  for (const outcome of ['no_answer', 'busy', 'cancelled', 'failed'] as const) {
    expect(await previewed('bob', outcome)).toMatchObject({ kind: 'missed', text: 'Missed video call' })
    expect(await previewed('alice', outcome)).toMatchObject({ kind: 'call', text: 'Video call' })
  }
  expect(await previewed('bob', 'declined')).toMatchObject({ kind: 'call', text: 'Declined video call' })
  expect(await previewed('bob', 'answered')).toMatchObject({ kind: 'call', text: 'Video call' })
})

test('A missed call marks its row until it was seen, and counts for nothing', async () => {
  await previewed('bob', 'no_answer')
  expect(isMarked()).toBe(true)
  expect(roomById('room')?.unreadCount).toBe(0)
  changeRoom('room', () => ({ marks: { alice: { deliveredSeq: 1, readSeq: 1 } } }))
  expect(isMarked()).toBe(false)
  changeRoom('room', () => ({ marks: {} }))
  await previewed('alice', 'no_answer')
  expect(isMarked()).toBe(false)
})
