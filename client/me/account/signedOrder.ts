import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { type OrderAct, passwordChangeShape } from '../../../contract/account/forms.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { accountStore } from './accountState.ts'
import { type Opener, openKeys, ownName, putChange, storedKeys, stretch, waysIn } from './keys.ts'

interface PasswordChange {
  currentPassword: string
  newPassword: string
  confirmNewPassword: string
}

export type PasswordStep = 'checking' | 'making' | 'sealing'

/**
 * `opener` signs if the password opens no keys [Note: D5]. Other sessions end. After a failure nothing has changed. Throws
 * ApiError ('invalid_credentials') or CryptoFailure.
 */
export async function changePassword(
  env: Env,
  form: PasswordChange,
  opener?: Opener,
  onStep: (step: PasswordStep) => void = () => undefined,
): Promise<void> {
  const checked = passwordChangeShape.safeParse(form)
  if (!checked.success) throw new ApiError(400, 'invalid_input', checked.error.issues[0]?.message ?? 'The form is not complete')
  try {
    onStep('checking')
    const currentPassword = await stretch(env, 'stretch', ownName(), form.currentPassword)
    onStep('making')
    const newPassword = await stretch(env, 'stretchNew', ownName(), form.newPassword)
    const fields = { currentPassword, newPassword, confirmNewPassword: newPassword, kdf: 1 as const }
    onStep('sealing')
    await openForOrder(env, opener)
    if (opener) {
      await env.api(accountApi.changePassword, { ...fields, order: await orderFor(env, 'change password', fields) })
      return await followLock(env)
    }
    await putChange(env, async () => {
      const { challenge } = await env.api(devicesApi.challenge, {})
      const { keys, order } = await env.crypto.draftOrderedChange(
        { password: 'new' },
        { act: 'change password', fields, challenge },
      )
      return { change: keys, send: () => env.api(accountApi.changePassword, { ...fields, keys, order }) }
    })
    await followLock(env)
  } finally {
    await env.crypto.forgetPassword()
  }
}

/** Leaves a lock with another password [Note: V3]. */
async function followLock(env: Env): Promise<void> {
  const userId = accountStore.getState().user?.id
  if (!userId) return
  const ways = await Promise.all([env.crypto.lockStanding(userId), env.crypto.offlineWays(userId)])
  if (!ways.some((one) => one?.passwordSalt)) return
  const { unlockSecret } = await env.api(devicesApi.unlock, {})
  await env.crypto.renewLock(unlockSecret).catch((error: unknown) => {
    if (!(error instanceof CryptoFailure) || error.code !== 'lock_secret') throw error
  })
}

/** Throws ApiError or CryptoFailure. */
export async function openForOrder(env: Env, opener: Opener | undefined): Promise<void> {
  if (opener) return void (await openKeys(env, opener))
  const keys = await storedKeys(env)
  if (!waysIn(keys.keyring).password)
    throw new CryptoFailure('way', 'This needs your recovery kit or a passkey. Reload the page and try again')
  await env.crypto.reviewAccount(keys).catch((error: unknown) => {
    throw error instanceof CryptoFailure && error.code === 'way'
      ? new ApiError(401, 'invalid_credentials', 'The current password is wrong')
      : error
  })
}

/** [Note: D5] */
export async function orderFor(env: Env, act: OrderAct, fields: Record<string, unknown>): Promise<string> {
  const { challenge } = await env.api(devicesApi.challenge, {})
  return env.crypto.signOrder({ act, fields, challenge })
}
