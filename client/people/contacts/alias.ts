import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { cleanName } from '../../me/account/browserName.ts'
import { reloadVerified } from '../../rooms/trust/verified.ts'
import { saveLater } from './block.ts'

/** Gives a person an alias, which only the account's own browsers can read; '' takes it away. */
export async function nameContact(env: Env, userId: string, typed: string): Promise<void> {
  await env.crypto.nameContact({ userId, name: cleanName(typed, LIMITS.displayNameMax) })
  await reloadVerified(env)
  await saveLater(env)
}
