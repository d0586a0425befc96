import { expect, test } from 'vitest'
import type { FileContent } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import type { OutboxRow, StoredMessage } from '../../worker/crypto.ts'
import { albumWords } from './albumWords.ts'
import type { Room } from './room.ts'

const picture = (album: string, more: Partial<FileContent> = {}): FileContent => ({
  ...{ type: 'file', as: 'image', object: '1', storedBytes: 4096, key: '', hash: '', name: '1.png', mediaType: 'image/png' },
  ...{ sizeBytes: 1, caption: '', album: { id: album, place: 0 }, ...more },
})
const message = (id: string, senderId: string, content: FileContent) =>
  ({ id, senderId, seq: 1, chatRoomId: 'room', at: '', body: { kind: 'content', content } }) as StoredMessage
const waits = (id: string, content: FileContent) => ({ id, chatRoomId: 'room', content }) as OutboxRow

const words = (senderId: string, messages: StoredMessage[], outbox: OutboxRow[] = []) =>
  albumWords(
    { crypto: { page: async () => ({ messages }) } } as unknown as Env,
    { id: 'room', ownId: 'alice' } as Room,
    picture('sea'),
    senderId,
    outbox,
  )

test('The list counts the pictures of one album and one sender, each once, and nothing else that names the album', async () => {
  const theirs = [message('a', 'bob', picture('sea')), message('b', 'bob', picture('sea')), message('c', 'bob', picture('lake'))]
  const document = message('d', 'bob', picture('sea', { as: 'file' }))
  const own = message('e', 'alice', picture('sea'))
  expect(await words('bob', [...theirs, document, own], [waits('f', picture('sea'))])).toBe('2 photos')
  expect(await words('alice', [...theirs, own], [waits('e', picture('sea')), waits('f', picture('sea'))])).toBe('2 photos')
  expect(await words('alice', [...theirs, own])).toBe('Photo')
})
