import { stepUpApi } from '../../../contract/account/stepup.ts'
import type { Env } from '../../env.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { loadPasskeyCode, ownName, stretch } from './keys.ts'

/** Throws ApiError ('invalid_credentials' for a wrong password) or CryptoFailure. */
export async function confirmByPassword(env: Env, password: string): Promise<void> {
  try {
    await env.api(stepUpApi.confirm, { password: await stretch(env, 'stretch', ownName(), password), kdf: 1 })
  } finally {
    await env.crypto.forgetPassword()
  }
}

/** Throws ApiError or CryptoFailure. */
export async function confirmByPasskey(env: Env): Promise<void> {
  const { challenge, ids } = await env.api(stepUpApi.options, {})
  if (ids.length === 0) throw new CryptoFailure('passkey', `None of your passkeys works at ${location.hostname}.`)
  const { signWithPasskey } = await loadPasskeyCode()
  const { assertion } = await signWithPasskey(challenge, ids)
  await env.api(stepUpApi.confirm, { assertion })
}
