import { expect, test } from 'vitest'
import { shownMessage } from './shownMessage.ts'
import { statusOf } from './status.ts'

const marks = (deliveredSeq: number, readSeq: number) => ({ deliveredSeq, readSeq })

test('a message to two readers is delivered when both have it, and read when both read it', () => {
  expect(statusOf(5, [marks(5, 5), marks(4, 4)])).toBe('sent')
  expect(statusOf(5, [marks(5, 5), marks(5, 4)])).toBe('delivered')
  expect(statusOf(5, [marks(6, 5), marks(9, 9)])).toBe('read')
})

test('a message that nobody else can read stays sent', () => {
  expect(statusOf(5, [])).toBe('sent')
})

test("the sender's own marks say nothing of the message", () => {
  const row = {
    ...{
      chatRoomId: 'room',
      seq: 3,
      id: 'id',
      senderId: 'alice',
      content: 'x',
      messageType: 'text' as const,
      isEncrypted: false,
    },
    ...{ filePath: null, fileName: null, fileSize: null, replyToId: null, createdAt: new Date(0) },
  }
  const members = [
    { userId: 'bob', ...marks(3, 3) },
    { userId: 'alice', ...marks(0, 0) },
    { userId: 'carol', ...marks(3, 1) },
  ]
  expect(shownMessage(row, row, members).deliveryStatus).toBe('delivered')
})
