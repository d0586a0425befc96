import { membersOfDirectRoom } from '../../../contract/ground/shapes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import type { Asking } from '../../ground/db/locked.ts'
import { sendFrame } from '../../ground/realtime/hub.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store.ts'
import { openSince, secondsBefore } from './times.ts'

/** The only sessions (hex), by person, that get what is said in a room: they have opened it [Note: L1]. */
export type OpenSessions = Record<string, string[]>

export const hashOf = ({ sessionHash }: Pick<SignedInUser, 'sessionHash'>): Buffer => Buffer.from(sessionHash, 'hex')

/** What a list needs to tell which chats are locked for the session that reads it. */
export const askingOf = (user: Pick<SignedInUser, 'sessionHash'>, now: Date): Asking => ({
  session: hashOf(user),
  openSince: openSince(now),
})

/** Throws Refusal `chat_locked` unless the session has opened this chat and used it lately. That counts as use. */
export async function requireOpen(
  db: Queryable,
  user: Pick<SignedInUser, 'id' | 'sessionHash'>,
  chatRoomId: string,
  now: Date,
): Promise<void> {
  const chat = { chatRoomId, userId: user.id, ...askingOf(user, now) }
  if (!(await store.noteUse(db, { ...chat, now, notedBefore: secondsBefore(now, NOTED_SECONDS) })))
    throw new Refusal('chat_locked')
}

/** Use is noted at most this often, as by the append of messages. */
const NOTED_SECONDS = 60

/** The sessions of these people that have opened the chat. All of them have a chat password for it. */
export async function openSessions(db: Queryable, chatRoomId: string, userIds: string[], now: Date): Promise<OpenSessions> {
  const rows = await store.findOpen(db, chatRoomId, userIds, openSince(now))
  const hashesOf = (id: string) => rows.filter(({ userId }) => userId === id).map(({ hash }) => hash.toString('hex'))
  return Object.fromEntries(userIds.map((id) => [id, hashesOf(id)]))
}

/** Tells the sessions to which a chat is locked that its row has changed: its time and its count, and nothing of what was said. */
export function tellLocked({ hub }: Pick<Env, 'hub'>, chatRoomId: string, open: OpenSessions | null): void {
  for (const [userId, hashes] of Object.entries(open ?? {})) {
    const userIds = membersOfDirectRoom(chatRoomId).filter((id) => id !== userId)
    for (const { socket, sessionHash } of hub.seats(userId))
      if (!hashes.includes(sessionHash)) sendFrame(socket, { type: 'contacts', data: { userIds } })
  }
}
