import { accountApi, displayNameShape } from '../../contract/account.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { inTurn } from '../net/turns.ts'
import { showUser } from './account.ts'

/** Returns why this cannot be a display name; undefined if it can. */
export const displayNameError = (typed: string): string | undefined => displayNameShape.safeParse(typed).error?.issues[0]?.message

/** Sets the display name. The server tells the account's other pages, and its contacts. Throws ApiError. */
export async function saveDisplayName(env: Env, typed: string): Promise<void> {
  const error = displayNameError(typed)
  if (error) throw new ApiError(400, 'invalid_input', error)
  // Queued like every read of the user, so that an answer from before cannot overwrite it.
  await inTurn(env, 'user', async () => showUser(env, await env.api(accountApi.updateProfile, { displayName: typed })))
}
