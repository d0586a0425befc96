import type { Env, SignedInUser } from '../env.ts'
import * as store from './store.ts'

/** Counts unread messages in all rooms except those of open and declined requests. */
export async function unreadCount(env: Env, user: SignedInUser): Promise<{ count: number }> {
  return { count: await store.sumUnread(env.db, user.id) }
}
