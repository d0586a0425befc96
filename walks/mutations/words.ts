import type { Mutation } from './mutation.ts'

/** What waits to be sent: once, in order, and never against what came between. */
export const words: Mutation[] = [
  {
    name: 'A message is sealed before the server has answered',
    file: 'client/chat/messages/send.ts',
    from: "connectionStore.getState().phase !== 'open' ||",
    to: '',
    test: 'client/chat/messages/queue.test.ts',
  },
  {
    name: 'What waits is sealed as soon as somebody looks, although the server is silent',
    file: 'client/chat/messages/outbox.ts',
    from: "if (connectionStore.getState().phase !== 'open') await catchUp(env, room)",
    to: '',
    test: 'client/chat/messages/queue.test.ts',
  },
  {
    name: 'A message that the server may have is taken back, and sent again',
    file: 'client/worker/messages/unsent.ts',
    from: ' || mayBeSent(kept)',
    to: '',
    test: 'client/chat/messages/queue.test.ts',
  },
  {
    name: 'What waits goes to somebody who was blocked meanwhile',
    file: 'client/chat/messages/outbox.ts',
    from: 'if (isBlocked(room)) {',
    to: 'if (isBlocked(room) && row.failure) {',
    test: 'client/chat/messages/queue.test.ts',
  },
  {
    name: 'The queue of a chat has no end',
    file: 'client/worker/messages/queue.ts',
    from: 'orders.length + bounded > QUEUE.room',
    to: 'orders.length + bounded > 10 * QUEUE.room',
    test: 'client/chat/messages/queue.test.ts',
  },
  {
    name: 'What waited is signed with the time of writing',
    file: 'client/worker/log/sealing.ts',
    from: 'return { sentAt: new Date(now).toISOString(), ...(isLate && { writtenAt }) }',
    to: 'return { sentAt: isLate ? writtenAt : new Date(now).toISOString() }',
    test: 'client/worker/log/waited.test.ts',
  },
  {
    name: 'A message names a later time of writing than of sealing',
    file: 'contract/chat/content.ts',
    from: 'Date.parse(writtenAt) <= Date.parse(sentAt)',
    to: 'Date.parse(writtenAt) + Date.parse(sentAt) > 0',
    test: 'client/worker/log/waited.test.ts',
  },
  {
    name: 'A text overtakes a file that was chosen before it without a line',
    file: 'client/chat/messages/outbox.ts',
    from: 'if (row.isHeld) {',
    to: 'if (row.isHeld && row.failure) {',
    test: 'client/chat/messages/queue.test.ts',
  },
  {
    name: 'A text behind a file that is paused waits for the next file too',
    file: 'client/chat/files/fileFollower.ts',
    from: 'isFreed || isLast',
    to: 'isLast',
    test: 'client/chat/messages/queue.test.ts',
  },
  {
    name: 'What waits is stopped by a tab that has not heard of the contact yet',
    file: 'client/chat/messages/removedContact.ts',
    from: 'rows.filter(({ chatRoomId }) => !roomById(chatRoomId))',
    to: 'rows',
    test: 'client/chat/messages/queue.test.ts',
  },
  {
    name: 'A message is taken back while another tab seals it',
    file: 'client/worker/messages/unsent.ts',
    from: 'inKeepingOrder(live, chatRoomId, () =>\n    withOutbox(live, chatRoomId, async () => {',
    to: 'inKeepingOrder(live, chatRoomId, () =>\n    ((work: () => Promise<string | undefined>) => work())(async () => {',
    test: 'client/worker/messages/outbox.test.ts',
  },
]
