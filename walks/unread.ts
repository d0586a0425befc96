import type { Env } from '../client/env.ts'
import { roomsStore } from '../client/rooms/list/roomList.ts'
import { notificationsApi } from '../contract/chat/notifications.ts'

/** True if the server counts as many unread messages as this page, which counts its rows. */
export async function isUnreadRight(env: Env): Promise<boolean> {
  const { count } = await env.api(notificationsApi.unreadCount, {})
  return count === roomsStore.getState().unreadTotal
}
