import { callsApi } from '../../../contract/chat/calls.ts'
import { isRefused } from '../../net/api.ts'
import type { IceServer } from '../../rtc/ice.ts'
import type { LiveTransfer } from './liveTransfer.ts'

/**
 * The first attempt goes without, unless the account hides its address: the server counts whoever asks. Throws ApiError.
 */
export async function relayOf(one: LiveTransfer): Promise<readonly IceServer[]> {
  const { env, transferId, consent } = one
  one.isRelayUsedUp = false
  if (!one.isRelayOnly && one.tries === 0) return []
  try {
    const input = { transferId, ...(consent.leavesTor && { leavesTor: 'true' }) }
    // Credentials live for minutes: each attempt asks anew.
    const { iceServers } = await env.api(callsApi.turn, input)
    return iceServers
  } catch (error) {
    if (!isRefused(error, 'relay_limit_reached')) throw error
    one.isRelayUsedUp = true
    return []
  }
}
