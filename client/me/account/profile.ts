import { accountApi } from '../../../contract/account/account.ts'
import { displayNameShape, emailShape } from '../../../contract/account/names.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { inTurn } from '../../net/inTurn.ts'
import { showUser } from './account.ts'

/** '' clears the email; an absent one stays. */
export interface TypedProfile {
  displayName: string
  email?: string
}

/** Returns an error per field. */
export function profileErrors({ displayName, email }: TypedProfile): { displayName?: string; email?: string } {
  const [name, address] = [displayNameShape.safeParse(displayName), emailShape.optional().safeParse(email)]
  const [nameError, emailError] = [name.error?.issues[0]?.message, address.error?.issues[0]?.message]
  return { ...(nameError && { displayName: nameError }), ...(emailError && { email: emailError }) }
}

/** Throws ApiError. */
export async function saveProfile(env: Env, typed: TypedProfile): Promise<void> {
  const [error] = Object.values(profileErrors(typed))
  if (error) throw new ApiError(400, 'invalid_input', error)
  // An older answer must not overwrite this.
  await inTurn(env, 'user', async () => showUser(env, await env.api(accountApi.updateProfile, typed)))
}
