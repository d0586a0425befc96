import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { needsPlan } from '../../plan/plans/needsPlan.ts'
import type { Room } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { showToast } from '../../ui/toast.ts'
import { isClosed } from '../../worker/crypto.ts'
import type { Follower } from '../files/fileFollower.ts'
import { cancelUpload, refreshUploads, startUpload } from '../files/uploadQueue.ts'
import { refreshRoom } from './messageWindow.ts'
import { flush } from './send.ts'
import { sendAndReport } from './sendOutcome.ts'

export const followerOf = (env: Env): Follower => ({
  async show(chatRoomId) {
    const room = roomById(chatRoomId)
    if (room) await refreshRoom(env, room)
  },
  async stored(chatRoomId, names) {
    const room = roomById(chatRoomId)
    if (!room) return
    await refreshRoom(env, room)
    const outcome = await sendAndReport(
      () => flush(env, room),
      () => undefined,
    )
    const waiting = outcome === 'kept' ? await env.crypto.outbox(chatRoomId) : []
    const [name] = names
    if (outcome !== 'kept' || waiting.length > 0 || name === undefined) return
    const text = names.length === 1 ? `${name} has been sent` : `${names.length} files have been sent`
    showToast({ tone: 'good', title: 'File Uploaded', text })
  },
  goOn: () =>
    refreshFiles(env).catch((error: unknown) => {
      // What could not be sent goes with the next run.
      if (!isClosed(error) && !(error instanceof ApiError)) throw error
    }),
  refused: refuse,
})

const refuse = () => showToast({ tone: 'bad', title: 'Subscription Required', text: needsPlan('share files') })

export const refreshFiles = (env: Env): Promise<void> => refreshUploads(env, followerOf(env))

/** Uploads the file again after the server has lost the file. */
export async function sendFileAgain(env: Env, room: Room, id: string): Promise<void> {
  const row = await takeBack(env, room, id)
  if (row) await startUpload(env, row, followerOf(env))
}

/** Deletes the file at the server too. */
export async function giveUpFile(env: Env, room: Room, id: string): Promise<void> {
  const row = await takeBack(env, room, id)
  if (row) await cancelUpload(env, row, followerOf(env))
}

const takeBack = (env: Env, { id: chatRoomId }: Room, id: string) =>
  env.crypto.takeBackUpload({ chatRoomId, id, newId: crypto.randomUUID() })
