import { callsApi } from '../../../contract/chat/calls.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { isOnionOrigin } from '../../net/onion.ts'
import { connectionStore } from '../../net/status.ts'
import { saveBook } from '../../rooms/trust/book.ts'

/** What the person allows this one call or transfer. */
export interface Consent {
  allowsDirect?: boolean | undefined
  leavesTor?: boolean | undefined
}

/**
 * `no_relay`: the address is to be hidden, and this server has no relay. `shows_address`: the other browser will see it, which is asked
 * once. `leaves_tor`: the relay would see it. `tor_required`: nobody can allow that here.
 */
export type AddressRefusal = 'no_relay' | 'shows_address' | TorRefusal
type TorRefusal = 'leaves_tor' | 'tor_required'

/** True also before the server has said so. */
export const isBehindTor = (): boolean => isOnionOrigin() || connectionStore.getState().ingress === 'onion'

export function torRefusal({ leavesTor }: Consent): TorRefusal | undefined {
  if (connectionStore.getState().isTorRequired) return 'tor_required'
  return isBehindTor() && !leavesTor ? 'leaves_tor' : undefined
}

/** True if calls go through a relay alone: as the account has chosen, else as the server says. */
export const hidesAddress = async (env: Env, hidesByDefault: boolean): Promise<boolean> =>
  (await env.crypto.readHideAddress()) ?? hidesByDefault

/** Null: by default. Kept if the server cannot be reached, and saved later. */
export async function setHidesAddress(env: Env, value: boolean | null): Promise<void> {
  await env.crypto.setHideAddress(value)
  await saveBook(env).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}

/** The person knows that a direct connection shows the address. */
const TOLD = 'call-address'

async function addressOf(env: Env): Promise<{ hides: boolean; hasRelay: boolean }> {
  const { hasRelay, hidesByDefault } = await env.api(callsApi.settings, {})
  return { hides: await hidesAddress(env, hidesByDefault), hasRelay }
}

/** Throws ApiError. */
export async function willBeRelayed(env: Env): Promise<boolean> {
  const { hides, hasRelay } = await addressOf(env)
  return hides && hasRelay
}

/** Throws ApiError. */
export async function askAddress(env: Env, consent: Consent): Promise<{ refusal: AddressRefusal } | { isRelayOnly: boolean }> {
  const refusal = torRefusal(consent)
  if (refusal) return { refusal }
  const { hides, hasRelay } = await addressOf(env)
  if (hides) {
    if (hasRelay) return { isRelayOnly: true }
    return consent.allowsDirect ? { isRelayOnly: false } : { refusal: 'no_relay' }
  }
  if (localStorage.getItem(TOLD) === null) {
    if (!consent.allowsDirect) return { refusal: 'shows_address' }
    localStorage.setItem(TOLD, '1')
  }
  return { isRelayOnly: false }
}
