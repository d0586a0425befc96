import { accountApi, type User } from '../../contract/account.ts'
import type { Env } from '../env.ts'
import { endedElsewhere } from './account.ts'

/** Deletes the account for good, with everything of it in this browser. Throws ApiError: a wrong password deletes nothing. */
export async function deleteAccount(env: Env, { username }: User, password: string): Promise<void> {
  const { salt } = await env.api(accountApi.salt, { username })
  try {
    const { authSecret } = await env.crypto.stretch({ username, password, salt })
    await env.api(accountApi.remove, { password: authSecret, kdf: 1 })
  } finally {
    await env.crypto.forgetPassword()
  }
  await endedElsewhere(env, 'Your account was deleted.', { removeKeys: true })
}
