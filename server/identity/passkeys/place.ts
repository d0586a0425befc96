import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'

/** Each address has its own passkeys. The origin check has accepted the origin. Throws Refusal. */
export function placeOf({ headers: { origin } }: Pick<Caller, 'headers'>): { origin: string; host: string } {
  // Only pages send an Origin and have passkeys.
  if (origin === undefined) throw new Refusal('forbidden_origin')
  return { origin, host: new URL(origin).hostname }
}
