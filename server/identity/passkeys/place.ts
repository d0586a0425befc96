import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'

/**
 * The page that asks, and the host whose passkeys it can use. Each address of this server has its own. The origin check has
 * accepted the origin as one of the listener's, so neither comes from the request alone. Throws Refusal.
 */
export function placeOf({ headers: { origin } }: Pick<Caller, 'headers'>): { origin: string; host: string } {
  // Only pages send an Origin, and only pages have passkeys.
  if (origin === undefined) throw new Refusal('forbidden_origin')
  return { origin, host: new URL(origin).hostname }
}
