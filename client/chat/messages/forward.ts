import type { FileContent } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { isBlocked, isFollowed, type Room } from '../../rooms/list/room.ts'
import { isShutRow, type RoomRow } from '../../rooms/list/roomList.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { beginAlbum, endAlbum } from '../files/albums.ts'
import { settle } from '../files/fileFollower.ts'
import { openHeld } from '../files/openFile.ts'
import type { Prepared } from '../files/prepareFile.ts'
import { sendFile } from '../files/sendFile.ts'
import { followerOf } from './chatFiles.ts'
import { refreshRoom } from './messageWindow.ts'
import { flush } from './send.ts'
import { sendAndReport } from './sendOutcome.ts'
import type { ShownMessage } from './store.ts'

/** One text, or one file with its bytes. */
export type Forwarded = { text: string } | { file: Prepared; albumId: string | undefined }

/** False for what one cannot say again: a program's plain text, a call, and what went directly. */
export const canForward = ({ seq, body }: ShownMessage): boolean => seq !== null && (body.kind === 'text' || body.kind === 'file')

/** False where nothing can be written. */
export const takesForwarded = (room: RoomRow): boolean =>
  isFollowed(room) && !room.isClosed && !isBlocked(room) && !isShutRow(room) && !room.asksRestart

/** All of it lies open at once. */
const FILES_BYTES = 100 * 1024 * 1024

/** Opens what is to be forwarded, before anything of it is sent. Throws ApiError or CryptoFailure, 'too_large' for 100 MB of files. */
export async function openForwarded(env: Env, messages: ShownMessage[]): Promise<Forwarded[]> {
  const bytes = messages.reduce((sum, { body }) => sum + (body.kind === 'file' ? body.file.sizeBytes : 0), 0)
  if (bytes > FILES_BYTES) throw new CryptoFailure('too_large', 'At most 100 MB of files can be forwarded at once')
  const opened: Forwarded[] = []
  for (const { body } of messages) {
    if (body.kind === 'text') opened.push({ text: body.text })
    if (body.kind === 'file') {
      const file = await openHeld(env, { chatRoomId: body.chatRoomId, file: body.file })
      opened.push({ file: { file, about: aboutOf(body.file) }, albumId: body.file.album?.id })
    }
  }
  return opened
}

/** The other chat gets its own file and key: the server gives nobody the object of a chat that is not theirs. */
function aboutOf({ as, name, mediaType, caption, picture, voice, seconds }: FileContent): Prepared['about'] {
  return {
    ...{ as, name, mediaType, caption, isForwarded: true },
    ...(picture && { picture }),
    ...(voice && { voice }),
    ...(seconds !== undefined && { seconds }),
  }
}

/** Keeps it for one chat, in its order, and sends it. False, with a toast, if a file could not be kept. Throws CryptoFailure. */
export async function forwardTo(env: Env, room: Room, forwarded: Forwarded[], onUpgrade: () => void): Promise<boolean> {
  const albums = albumsOf(forwarded)
  await Promise.all([...albums.values()].map(({ id }) => beginAlbum(id)))
  let isWhole = true
  try {
    for (const one of forwarded) {
      if ('text' in one) await keepText(env, room, one.text)
      else isWhole = (await keepFile(env, room, one.file, placeIn(albums, one.albumId))) && isWhole
    }
  } finally {
    for (const { id } of albums.values()) endAlbum(id)
  }
  if (albums.size > 0) await settle(env, room.id)
  await refreshRoom(env, room)
  void sendAndReport(() => flush(env, room), onUpgrade)
  return isWhole
}

interface Album {
  id: string
  next: number
}

/** Returns new albums, by the ids of those of which at least two pictures are forwarded. */
function albumsOf(forwarded: Forwarded[]): Map<string, Album> {
  const ids = forwarded.flatMap((one) => ('albumId' in one && one.albumId !== undefined ? [one.albumId] : []))
  const shared = ids.filter((id, at) => ids.indexOf(id) !== at)
  return new Map(shared.map((id) => [id, { id: crypto.randomUUID(), next: 0 }]))
}

function placeIn(albums: Map<string, Album>, albumId: string | undefined): FileContent['album'] {
  const album = albums.get(albumId ?? '')
  return album && { id: album.id, place: album.next++ }
}

async function keepText(env: Env, { id: chatRoomId }: Room, text: string): Promise<void> {
  const content = { type: 'text' as const, text, isForwarded: true as const }
  await env.crypto.keepInOutbox({
    ...{ id: crypto.randomUUID(), chatRoomId, content, replyToId: null, sentAt: env.clock().toISOString() },
  })
}

/** What is written after it waits for it, so that the order stays. */
function keepFile(env: Env, { id }: Room, { file, about }: Prepared, album: FileContent['album']): Promise<boolean> {
  const prepared = { file, about: { ...about, ...(album && { album }) } }
  return sendFile(env, followerOf(env), id, prepared, { caption: '', isSmaller: false, holds: true })
}
