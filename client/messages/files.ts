import type { UploadRow } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { type Follower, resumeUploads } from '../files/upload.ts'
import { roomById } from '../rooms/list.ts'
import { showToast } from '../ui/toast.ts'
import { sendAndReport } from './outcome.ts'
import { flush } from './send.ts'
import { refreshRoom } from './view.ts'

/** What a chat does when its files go on: it shows them, and sends the messages of those that the server has. */
export const followerOf = (env: Env): Follower => ({
  async show(chatRoomId) {
    const room = roomById(chatRoomId)
    if (room) await refreshRoom(env, room)
  },
  async stored(chatRoomId, names) {
    const room = roomById(chatRoomId)
    if (!room) return
    await refreshRoom(env, room)
    const outcome = await sendAndReport(() => flush(env, room), refuse)
    const waiting = outcome === 'kept' ? await env.crypto.outbox(chatRoomId) : []
    if (outcome !== 'kept' || waiting.length > 0) return
    const [name] = names
    const text = names.length === 1 ? `${name} has been sent` : `${names.length} files have been sent`
    showToast({ tone: 'good', title: 'File Uploaded', text })
  },
  refused: refuse,
})

const refuse = () =>
  showToast({
    tone: 'bad',
    title: 'Subscription Required',
    text: 'You need a paid subscription to share files. You can still receive and read messages from paid users.',
  })

/** Takes up the files that wait in this browser. */
export const resumeFiles = (env: Env, rows: UploadRow[]): Promise<void> => resumeUploads(env, rows, followerOf(env))
