import type { Assurance, Endpoint } from '../../contract/endpoint.ts'
import type { SignedInUser } from '../env.ts'
import { Refusal } from '../refuse.ts'

/** The one guard of every call. Throws Refusal unless this session may make it. */
export function requireAccess({ access, assurance, signInText }: Endpoint, user: SignedInUser | undefined): SignedInUser {
  if (!user) throw new Refusal('not_signed_in', signInText ? { text: signInText } : {})
  if (access === 'admin' && !user.isAdmin) throw new Refusal('admin_required')
  if (access === 'master' && !user.rights.family) throw new Refusal('master_required')
  if (!isSure(user, assurance)) throw new Refusal('device_required')
  // No session has a recent confirmation that could be asked for.
  if (assurance === 'recent') throw new Refusal('step_up_required')
  return user
}

/** True if a device has signed for this session, where that is asked for [Note: D4]. */
export function isSure({ hasKeys, deviceId }: SignedInUser, assurance: Assurance = 'account'): boolean {
  if (assurance === 'session' || deviceId !== null) return true
  return assurance !== 'device' && !hasKeys
}
