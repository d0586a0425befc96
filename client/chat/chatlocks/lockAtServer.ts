import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import type { DirectRow } from '../../rooms/list/roomList.ts'

/** Locks a chat for this session at the server, whose time runs out where it cannot be reached. */
export async function lockAtServer(env: Env, { direct }: Pick<DirectRow, 'direct'>): Promise<void> {
  await env.api(chatLocksApi.lock, { contactId: direct.contactId }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}
