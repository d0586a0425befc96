import type { Env } from '../client/env.ts'
import { marksTold } from '../client/rooms/list/readMarks.ts'
import { roomsStore } from '../client/rooms/list/roomList.ts'
import { tellMarks } from '../client/rooms/list/tellMarks.ts'
import { notificationsApi } from '../contract/chat/notifications.ts'

/** True if the server counts as many unread messages as this page, which counts its rows. */
export async function isUnreadRight(env: Env): Promise<boolean> {
  const { count } = await env.api(notificationsApi.unreadCount, {})
  return count === roomsStore.getState().unreadTotal
}

/** Sends the marks that wait for a connection or for a pause, and waits until the server has them. */
export async function tellsMarks(): Promise<void> {
  tellMarks()
  await marksTold()
}
