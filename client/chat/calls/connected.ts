import { hasRelay } from '../../rtc/ice.ts'
import { followStats } from '../../rtc/stats.ts'
import { callStore } from './callState.ts'
import { NO_RELAY_LEFT } from './callWords.ts'
import { codeOf } from './codeOf.ts'
import { hangUp } from './finish.ts'
import { forget, isLive, type LiveCall } from './liveCall.ts'
import { relayOf } from './relay.ts'
import { tellState } from './shownMedia.ts'
import { rememberHere } from './thisTab.ts'

export async function begin(call: LiveCall): Promise<void> {
  const { link } = call
  const relay = await relayOf(call).catch((error: unknown) => {
    if (codeOf(error) === '') throw error
    return { iceServers: [], expiresAt: null }
  })
  if (!isLive(call) || call.link !== link) return
  if (call.isRelayOnly && !hasRelay(relay.iceServers))
    return hangUp(call, 'failed', { over: { why: 'failed', words: NO_RELAY_LEFT }, unanswered: 'failed' })
  link?.start(relay.iceServers)
  tellState(call)
}

export function onConnected(call: LiveCall): void {
  for (const name of ['watch', 'giveUp']) forget(call, name)
  const now = call.env.clock().getTime()
  const { callStartTime } = callStore.getState()
  callStore.setState({ phase: 'live', callStartTime: callStartTime ?? now, reconnectingSince: null, isRelayed: call.isRelayOnly })
  rememberHere(call)
  followLine(call)
}

function followLine(call: LiveCall): void {
  const peer = call.link?.peer()
  if (!peer) return
  call.stopStats()
  call.stopStats = followStats(peer, {
    onMeasured({ line, isRelayed: goesByRelay }) {
      const isRelayed = goesByRelay || call.isRelayOnly
      const before = callStore.getState()
      // The whole view is drawn again otherwise.
      if (before.line !== line || before.isRelayed !== isRelayed) callStore.setState({ line, isRelayed })
    },
    onSpeaks: (speaks) => callStore.setState({ speaks }),
  })
}

/** Nobody has compared the words of another attempt. */
export async function showWords(call: LiveCall): Promise<void> {
  const words = await call.env.crypto.callWords(call.callId).catch((error: unknown) => {
    if (codeOf(error) !== 'call_over') throw error
  })
  const before = callStore.getState().words
  if (!words || !isLive(call) || before?.join() === words.join()) return
  callStore.setState({ words, isCompared: false })
}
