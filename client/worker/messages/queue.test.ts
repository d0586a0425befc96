import { expect, onTestFinished, test } from 'vitest'
import { storedBytesOf } from '../../../contract/chat/objects.ts'
import { callLine } from '../../testing/callline.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { openLive } from '../account/openAccount.ts'
import { lockedKey, randomBytes } from '../primitives/seal.ts'
import { memory, memoryKey, WAITING } from '../vault/disk.ts'
import { LOCKS } from '../vault/roomlocks.ts'
import { waitingFile } from '../vault/waitingFiles.ts'
import { QUEUE } from './queue.ts'

const PHOTO = new Blob(['a photo'])
const PHOTO_BYTES = storedBytesOf(PHOTO.size)

const keepsPhoto = (alice: TestPerson, chatRoomId: string, album?: { id: string; place: number }) =>
  alice.core.keepUpload({
    ...{ id: crypto.randomUUID(), chatRoomId, sentAt: new Date().toISOString(), file: PHOTO },
    about: { as: 'file', name: 'beach.png', mediaType: 'image/png', caption: '', ...(album && { album }) },
  })

/** No test writes so many bytes. */
function lies({ userId }: TestPerson, name: string, sizeBytes: number): void {
  const key = memoryKey(userId, WAITING, name)
  memory.set(key, Object.defineProperty(new File([], name), 'size', { value: sizeBytes }))
  onTestFinished(() => void memory.delete(key))
}

test('Files wait up to 320 MB in a browser, and what goes from browser to browser does not count', async () => {
  const { alice, roomId } = await people()
  lies(alice, waitingFile({ chatRoomId: roomId, transferId: crypto.randomUUID() }), QUEUE.fileBytes)
  await keepsPhoto(alice, roomId)
  const other = crypto.randomUUID()
  lies(alice, other, QUEUE.fileBytes - 2 * PHOTO_BYTES)
  await keepsPhoto(alice, roomId)
  await expect(keepsPhoto(alice, roomId)).rejects.toMatchObject({
    ...{ code: 'queue_full', message: 'Files of 320 MB wait in this browser already' },
  })
  expect(await alice.core.uploads()).toHaveLength(2)
  memory.delete(memoryKey(alice.userId, WAITING, other))
  await keepsPhoto(alice, roomId)
})

test('A browser keeps 1,000 messages and files of all chats, and refuses the next by name', async () => {
  const { alice, roomId: chatRoomId } = await people()
  const { vault } = await openLive(alice.userId, alice.unlock)
  const elsewhere = crypto.randomUUID()
  const row = { id: elsewhere, chatRoomId: elsewhere, content: null, replyToId: null, sentAt: '', envelope: null, failure: null }
  const rows = Array.from({ length: QUEUE.all - 2 }, (_, order) => ({ ...row, order }))
  await vault.write(rows.map((json) => ({ store: 'outbox' as const, key: [elsewhere, json.order], value: { json } })))
  vault.close()
  const keep = (text: string) =>
    alice.core.keepInOutbox({
      ...{ id: crypto.randomUUID(), chatRoomId, replyToId: null, sentAt: new Date().toISOString() },
      content: { type: 'text', text },
    })
  await keepsPhoto(alice, chatRoomId)
  await keep('the last')
  const refused = { code: 'queue_full', message: '1000 messages wait in this browser already' }
  await expect(keep('one more')).rejects.toMatchObject(refused)
  await expect(keepsPhoto(alice, chatRoomId)).rejects.toMatchObject(refused)
  expect(await alice.core.outbox(chatRoomId)).toHaveLength(1)
  expect(await alice.core.uploads()).toHaveLength(1)
})

test('Who leaves is told of messages as they are seen: an album is one, and what is silent or cancelled is none', async () => {
  const { alice, bob, roomId: chatRoomId } = await people()
  await alice.keeps(bob, 'hello')
  const album = crypto.randomUUID()
  const { id } = await keepsPhoto(alice, chatRoomId, { id: album, place: 0 })
  await keepsPhoto(alice, chatRoomId, { id: album, place: 1 })
  await alice.core.uploadDone({ chatRoomId, id, object: crypto.randomUUID() })
  expect(await alice.core.unsentCount()).toBe(2)
  const single = await keepsPhoto(alice, chatRoomId)
  expect(await alice.core.unsentCount()).toBe(3)
  await alice.core.changeUpload({ chatRoomId, id: single.id, change: { isCancelled: true } })
  const call = callLine()
  const sentAt = new Date().toISOString()
  await alice.core.keepInOutbox({ id: crypto.randomUUID(), chatRoomId, content: call, replyToId: null, sentAt })
  expect(await alice.core.unsentCount()).toBe(2)
  // Of a locked chat nothing but the number of rows is known.
  const { vault } = await openLive(alice.userId, alice.unlock)
  const locked = crypto.randomUUID()
  const lock = { n: 1, publicKey: 'P', rowKeys: [{ publicKey: 'P', sealed: '' }], isSealed: true }
  await vault.write([{ store: 'sealed', key: LOCKS, value: { json: { [locked]: lock } } }])
  vault.openRoom(locked, [await lockedKey(randomBytes(32))])
  await vault.write([1, 2].map((order) => ({ store: 'outbox' as const, key: [locked, order], value: { json: { order } } })))
  vault.close()
  expect(await alice.core.unsentCount()).toBe(4)
})
