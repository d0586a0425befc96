import { accountApi, type User } from '../../../contract/account/account.ts'
import type { Env } from '../../env.ts'
import { closeAccount } from '../account/account.ts'
import { type Opener, stretch } from '../account/keys.ts'
import { openForOrder, orderFor } from '../account/signedOrder.ts'

/**
 * Deletes the account and all of its data in this browser. `opener` opens the account's keys if the password does not [Note: D5].
 * Throws ApiError or CryptoFailure; a wrong password deletes nothing.
 */
export async function deleteAccount(env: Env, { id, username }: User, password: string, opener?: Opener): Promise<void> {
  try {
    const fields = { password: await stretch(env, 'stretch', username, password), kdf: 1 as const }
    await openForOrder(env, opener)
    const order = await orderFor(env, 'delete account', fields)
    // Close the socket first: otherwise the `signed_out` frame would close the account on this page as after a logout.
    env.socket.close()
    await env.api(accountApi.remove, { ...fields, order })
  } catch (error) {
    env.socket.open()
    throw error
  } finally {
    await env.crypto.forgetPassword()
  }
  await env.crypto.destroy(id)
  await closeAccount(env, 'Your account was deleted.')
}
