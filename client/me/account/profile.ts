import { accountApi } from '../../../contract/account/account.ts'
import { displayNameShape, emailShape } from '../../../contract/account/names.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { inTurn } from '../../net/inTurn.ts'
import { showUser } from './account.ts'

/** What the person typed. Without an email the stored one stays; '' clears it. */
export interface TypedProfile {
  displayName: string
  email?: string
}

/** Returns what is wrong with each field; nothing where they can be sent. */
export function profileErrors({ displayName, email }: TypedProfile): { displayName?: string; email?: string } {
  const [name, address] = [displayNameShape.safeParse(displayName), emailShape.optional().safeParse(email)]
  const [nameError, emailError] = [name.error?.issues[0]?.message, address.error?.issues[0]?.message]
  return { ...(nameError && { displayName: nameError }), ...(emailError && { email: emailError }) }
}

/** Sets the display name and the email. The server tells the account's other pages, and its contacts of a name. Throws ApiError. */
export async function saveProfile(env: Env, typed: TypedProfile): Promise<void> {
  const [error] = Object.values(profileErrors(typed))
  if (error) throw new ApiError(400, 'invalid_input', error)
  // Queued like every read of the user, so that an answer from before cannot overwrite it.
  await inTurn(env, 'user', async () => showUser(env, await env.api(accountApi.updateProfile, typed)))
}
