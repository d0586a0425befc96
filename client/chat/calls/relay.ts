import { callsApi } from '../../../contract/chat/calls.ts'
import { connectionStore } from '../../net/status.ts'
import { afterwards, isLive, type LiveCall, type Relay } from './liveCall.ts'

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
