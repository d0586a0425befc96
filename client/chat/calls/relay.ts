import { callsApi } from '../../../contract/chat/calls.ts'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
import { hidesAddress } from './address.ts'
import type { CallRefusal } from './callState.ts'
import { afterwards, type Consent, isLive, type LiveCall, type Relay } from './liveCall.ts'

/** Key of localStorage: the person knows that a call shows the address. */
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
export async function askAddress(env: Env, consent: Consent): Promise<{ refusal: CallRefusal } | { isRelayOnly: boolean }> {
  if (connectionStore.getState().ingress === 'onion' && !consent.leavesTor) return { refusal: 'leaves_tor' }
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

const RENEW_BEFORE_MS = 60_000
const RETRY_MS = 15_000
/** Beyond 24 days a timer fires at once. */
const RENEW_MAX_MS = 24 * 60 * 60 * 1000

/** Throws ApiError. */
export function relayOf(call: LiveCall): Promise<Relay> {
  call.relay ??= fetchRelay(call)
  return call.relay
}

async function fetchRelay(call: LiveCall): Promise<Relay> {
  const { env, callId, consent } = call
  try {
    const { iceServers, expiresAt } = await env.api(callsApi.turn, { callId, ...(consent.leavesTor && { leavesTor: 'true' }) })
    if (expiresAt && isLive(call)) {
      const leftMs = Date.parse(expiresAt) - connectionStore.getState().clockOffsetMs - env.clock().getTime()
      // A clock that jumps, or a server that lies, would have the page ask without a pause.
      const waitMs = Math.min(Math.max(RETRY_MS, leftMs - RENEW_BEFORE_MS), RENEW_MAX_MS)
      afterwards(call, 'relay', waitMs, () => renew(call))
    }
    return { iceServers, expiresAt }
  } catch (error) {
    call.relay = null
    throw error
  }
}

function renew(call: LiveCall): void {
  call.relay = null
  relayOf(call).then(
    ({ iceServers }) => call.link?.peer()?.setServers(iceServers),
    () => afterwards(call, 'relay', RETRY_MS, () => renew(call)),
  )
}
