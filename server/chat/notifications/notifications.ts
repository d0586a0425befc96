import { z } from 'zod'
import { notificationShape, type notificationsApi } from '../../../contract/chat/notifications.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { markRead } from '../messages/marks.ts'
import { requireMember } from '../rooms/members.ts'
import * as store from './store.ts'

/** Counts unread messages in all rooms except muted ones and those of open and declined requests. */
export async function unreadCount(env: Env, user: SignedInUser): Promise<{ count: number }> {
  return { count: await store.sumUnread(env.db, user.id, env.clock()) }
}

type Asked = z.output<typeof notificationsApi.list.input>
type Listed = z.output<typeof notificationsApi.list.output>

const rowsShape = z.array(notificationShape).max(LIMITS.pageMax + 1)

/** Lists the messages that `unreadCount` counts, a page of them, the newest first. */
export async function listNotifications(env: Env, user: SignedInUser, { before, limit }: Asked): Promise<Listed> {
  const place = before === undefined ? undefined : readPlace(before)
  const rows = rowsShape.parse(await store.unreadPage(env.db, user, { before: place, limit: limit + 1, now: env.clock() }))
  const notifications = rows.slice(0, limit)
  const last = notifications.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { notifications, before: hasMore ? `${Date.parse(last.createdAt)}.${last.seq}.${last.chatRoomId}` : null }
}

/** A stranger to one of the rooms moves no mark; a chat that is locked for the session is passed over. Throws Refusal. */
export async function readNotifications(
  env: Env,
  user: SignedInUser,
  rooms: { chatRoomId: string; seq: number }[],
): Promise<Record<string, never>> {
  for (const { chatRoomId } of rooms) await requireMember(env.db, user.id, chatRoomId)
  const passOver = (error: unknown) => {
    if (!(error instanceof Refusal) || error.code !== 'chat_locked') throw error
  }
  await Promise.all(rooms.map(({ chatRoomId, seq }) => markRead(env, user, chatRoomId, seq).catch(passOver)))
  return {}
}

function readPlace(text: string): store.Place {
  const [ms, seq, roomId = ''] = text.split('.')
  return { ms: Number(ms), seq: Number(seq), roomId }
}
