import { accountApi, type User } from '../../contract/account.ts'
import { closeAccount } from '../account/account.ts'
import type { Env } from '../env.ts'

/** Deletes the account for good, with everything of it in this browser. Throws ApiError: a wrong password deletes nothing. */
export async function deleteAccount(env: Env, { id, username }: User, password: string): Promise<void> {
  const { salt } = await env.api(accountApi.salt, { username })
  try {
    const { authSecret } = await env.crypto.stretch({ username, password, salt })
    // Else the `signed_out` frame would come first, and close this browser as if the person had signed out.
    env.socket.close()
    await env.api(accountApi.remove, { password: authSecret, kdf: 1 })
  } catch (error) {
    env.socket.open()
    throw error
  } finally {
    await env.crypto.forgetPassword()
  }
  await env.crypto.destroy(id)
  await closeAccount(env, 'Your account was deleted.')
}
