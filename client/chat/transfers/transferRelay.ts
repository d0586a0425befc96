import { callsApi } from '../../../contract/chat/calls.ts'
import { isRefused } from '../../net/api.ts'
import type { IceServer } from '../../rtc/ice.ts'
import type { LiveTransfer } from './liveTransfer.ts'

/**
 * The first attempt goes without, unless the account hides its address: the server counts whoever asks. Throws ApiError.
 */
export function relayOf(one: LiveTransfer): Promise<readonly IceServer[]> {
  if (!one.isRelayOnly && one.tries === 0) return Promise.resolve([])
  one.relay ??= fetchRelay(one)
  return one.relay
}

async function fetchRelay(one: LiveTransfer): Promise<readonly IceServer[]> {
  const { env, transferId, consent } = one
  try {
    const input = { transferId, ...(consent.leavesTor && { leavesTor: 'true' }) }
    const { iceServers } = await env.api(callsApi.turn, input)
    return iceServers
  } catch (error) {
    if (!isRefused(error, 'relay_limit_reached')) throw error
    one.isRelayUsedUp = true
    return []
  } finally {
    // Credentials live for minutes: another attempt asks anew.
    one.relay = null
  }
}
