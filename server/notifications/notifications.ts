import type { Env, SignedInUser } from '../env.ts'
import * as store from './store.ts'

/** How many messages wait unread, in all rooms but those of open and declined requests. */
export async function unreadCount(env: Env, user: SignedInUser): Promise<{ count: number }> {
  return { count: await store.sumUnread(env.db, user.id) }
}
