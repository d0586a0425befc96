import type { Assurance, Endpoint } from '../../../contract/ground/endpoint.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'

/** Returns the session's user. Throws Refusal. */
export function requireAccess(
  { access, assurance, whileAsleep, signInText }: Endpoint,
  user: SignedInUser | undefined,
  now: Date,
): SignedInUser {
  if (!user) throw new Refusal('not_signed_in', signInText ? { text: signInText } : {})
  if (user.isAsleep && !whileAsleep) throw new Refusal('device_required')
  if (access === 'admin' && !user.isAdmin) throw new Refusal('admin_required')
  if (access === 'master' && !user.rights.family) throw new Refusal('master_required')
  if (!user.isAsleep && !isSure(user, assurance)) throw new Refusal('device_required')
  if (assurance === 'recent' && !isRecent(user, now)) throw new Refusal('step_up_required')
  return user
}

/** True unless a device must sign first [Note: D4]. */
export function isSure({ hasKeys, deviceId }: SignedInUser, assurance: Assurance = 'account'): boolean {
  if (assurance === 'session' || deviceId !== null) return true
  return assurance !== 'device' && !hasKeys
}

export const isRecent = ({ confirmedAt }: SignedInUser, now: Date): boolean =>
  confirmedAt !== null && now.getTime() - confirmedAt.getTime() < LIMITS.stepUpSeconds * 1000
