import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { putRooms, resetRooms, roomById } from '../../rooms/list/roomList.ts'
import { keepsFile, opensArriving, sendsFile } from '../../testing/files.ts'
import { people } from '../../testing/room.ts'
import type { TransferRow } from '../../worker/crypto.ts'
import { readFile, writeFile } from '../../worker/vault/disk.ts'
import { clearableBytes, clearKept, readKept } from './keptFiles.ts'
import { openedStore } from './openedFiles.ts'
import { openHeld } from './openFile.ts'
import { sharedPage } from './sharedPage.ts'

beforeEach(resetRooms)
afterEach(() => {
  resetRooms()
  vi.restoreAllMocks()
})

const VOICE = { seconds: 3, peaks: '' }

async function withFiles() {
  const all = await people()
  const { alice, bob } = all
  await alice.says(bob, 'hello')
  await alice.core.dropKept([alice.room(bob).id])
  const photo = await sendsFile(alice, bob, { name: 'beach.png', as: 'image', mediaType: 'image/png' })
  await sendsFile(alice, bob, { name: 'film.mp4', mediaType: 'video/mp4' })
  await sendsFile(alice, bob, { name: '', text: 'sound', as: 'audio', mediaType: 'audio/webm', voice: VOICE })
  await sendsFile(alice, bob, { name: 'plan.pdf' })
  await sendsFile(alice, bob, { name: 'page.html', mediaType: 'text/html' })
  await refreshRooms(alice.env)
  return { ...all, photo, room: alice.room(bob) }
}

/** A small file is stored with 4 KiB. */
const SEALED = 4096

test('The storage page counts what this browser keeps, by kind and by chat, and what waits apart from it', async () => {
  const { alice, bob, room } = await withFiles()
  const goesOn = await keepsFile(alice, bob, { name: 'later.pdf' })
  expect(await readKept(alice.env)).toMatchObject({
    kinds: { picture: SEALED, video: SEALED, sound: SEALED, document: 2 * SEALED, other: 0 },
    chats: [{ chatRoomId: room.id, bytes: 5 * SEALED }],
    locked: { bytes: 0 },
    waitingBytes: SEALED,
  })
  await goesOn()
})

const HASH = toBase64(new Uint8Array(32))

const rowOf = (chatRoomId: string, about: Partial<TransferRow> & { sizeBytes?: number }): TransferRow => {
  const { sizeBytes = 40_000, ...row } = about
  const content = {
    type: 'transfer' as const,
    transferId: randomUUID(),
    name: 'a.zip',
    mediaType: 'application/zip',
    sizeBytes,
    hash: HASH,
  }
  return { content, chatRoomId, isMine: false, isKept: true, stage: 'receiving', have: 0, at: '', ...row }
}

test('What goes from browser to browser is counted apart from what waits for the server, and what was received by its chat', async () => {
  const { alice, room } = await withFiles()
  const rows = [
    rowOf(room.id, { stage: 'offered', isMine: true, sizeBytes: 3000 }),
    rowOf(room.id, { stage: 'offered', isMine: true, sizeBytes: 2000 }),
    rowOf(room.id, { have: 2 }),
    rowOf(room.id, { have: 2, isKept: false }),
    rowOf(room.id, { stage: 'done' }),
  ]
  const keptFiles = async () => ({ ...(await alice.core.keptFiles()), waitingBytes: 40_000 })
  const env = { ...alice.env, crypto: { ...alice.core, transferRows: async () => rows, keptFiles } }
  expect(await readKept(env)).toMatchObject({
    waitingBytes: 40_000 - 5000 - 32_768,
    direct: {
      offered: { files: 2, bytes: 5000 },
      arriving: { files: 1, bytes: 32_768 },
      received: [{ chatRoomId: room.id, files: 1 }],
    },
  })
})

test('A file that was received directly is listed with its transfer', async () => {
  const { alice, bob, room } = await withFiles()
  const { content } = rowOf(room.id, {})
  await bob.core.keepInOutbox({
    id: randomUUID(),
    chatRoomId: room.id,
    content,
    replyToId: null,
    sentAt: new Date().toISOString(),
  })
  await bob.sends(bob.room(alice))
  await alice.reads(bob)
  const { files } = await sharedPage(alice.env, room.id)
  expect(files[0]).toMatchObject({ transfer: content, file: { name: 'a.zip', object: content.transferId } })
})

test('Clearing deletes what can be fetched again, on the disk and in the page, and never what waits to be sent', async () => {
  const { alice, bob, photo, room } = await withFiles()
  const goesOn = await keepsFile(alice, bob, { name: 'later.pdf', text: 'words of later' })
  const revoked = vi.spyOn(URL, 'revokeObjectURL')
  openedStore.setState({ urls: new Map([[photo.object, { chatRoomId: room.id, url: 'blob:beach', sizeBytes: 9 }]]) })
  await clearKept(alice.env, [room.id, 'waiting'])
  expect(revoked).toHaveBeenCalledWith('blob:beach')
  expect(openedStore.getState().urls.size).toBe(0)
  const kept = await readKept(alice.env)
  expect(clearableBytes(kept)).toBe(0)
  expect(kept).toMatchObject({ chats: [], waitingBytes: SEALED })
  expect(await alice.core.openFile({ chatRoomId: room.id, content: photo })).toBeUndefined()
  const file = await goesOn()
  expect(await (await openHeld(alice.env, { chatRoomId: room.id, file })).text()).toBe('words of later')
})

test('Of a locked chat the storage page says neither the chat nor the kinds, and clears it all the same', async () => {
  const { alice, room } = await withFiles()
  const row = roomById(room.id)
  if (row) putRooms([{ ...row, lock: 'shut' }])
  const kept = await readKept(alice.env)
  expect(kept).toMatchObject({
    kinds: { picture: 0, video: 0, sound: 0, document: 0, other: 0 },
    chats: [],
    locked: { chatRoomIds: [room.id], bytes: 5 * SEALED },
  })
  await clearKept(alice.env, kept.locked.chatRoomIds)
  expect(clearableBytes(await readKept(alice.env))).toBe(0)
})

test('The files of a chat that has left the list are counted and can be cleared', async () => {
  const { alice, room } = await withFiles()
  putRooms([], [room.id])
  const kept = await readKept(alice.env)
  expect(kept).toMatchObject({ chats: [], left: { chatRoomIds: [room.id], bytes: 5 * SEALED } })
})

test('What a chat has shared is listed newest first: files with their messages, and each address once', async () => {
  const { alice, bob, room } = await withFiles()
  await bob.reads(alice)
  await bob.says(
    alice,
    'see https://one.example/a and https://two.example, again https://one.example/a, or write to me@mail.example',
  )
  await alice.reads(bob)
  const { files, links, isLast, hasOlder } = await sharedPage(alice.env, room.id)
  expect(files.map(({ file }) => file.name)).toEqual(['page.html', 'plan.pdf', '', 'film.mp4', 'beach.png'])
  expect(links.map(({ address }) => address)).toEqual(['https://one.example/a', 'https://two.example/'])
  expect(links[0]).toMatchObject({ senderId: bob.userId, chatRoomId: room.id })
  expect([isLast, hasOlder]).toEqual([true, false])
})

test('Of a fetched file that is not right nothing is kept, and what was spoiled on the disk makes way to be fetched again', async () => {
  const { alice, room, photo } = await withFiles()
  const place = { chatRoomId: room.id, content: photo }
  const whole = await readFile(room.ownId, room.id, photo.object)
  if (!whole) throw new Error('Nothing is kept')
  const bytes = new Uint8Array(await whole.arrayBuffer())
  const spoiled = new Blob([bytes.map((byte, at) => (at === 100 ? byte ^ 1 : byte))])
  const isKept = async () => (await readFile(room.ownId, room.id, photo.object)) !== undefined
  await alice.core.dropKept([room.id])
  await expect(opensArriving(alice.core, place, spoiled)).rejects.toMatchObject({ code: 'file_chunk' })
  expect(await isKept()).toBe(false)
  await writeFile([room.ownId, room.id, photo.object], chunksOf(spoiled))
  expect(await alice.core.openFile(place)).toBeUndefined()
  expect(await isKept()).toBe(false)
  expect((await opensArriving(alice.core, place, whole))?.size).toBe(photo.sizeBytes)
  expect(await isKept()).toBe(true)
})

async function* chunksOf(bytes: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  yield new Uint8Array(await bytes.arrayBuffer())
  return undefined
}
