import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { makeCertificate, type OwnCertificate } from '../../rtc/certificate.ts'
import type { PeerStanding } from '../../rtc/peer.ts'
import { callStore } from './callState.ts'
import { onConnected, showWords } from './connected.ts'
import { endForged, failAttempt, hangUp, overOf } from './finish.ts'
import { createLink, type TellState } from './link.ts'
import { afterwards, isCurrent, type LiveCall, placeIn, sendFrame, sendReject } from './liveCall.ts'
import { beat, showReconnecting } from './patience.ts'
import { tellState } from './shownMedia.ts'
import { rememberHere } from './thisTab.ts'

// One attempt after the other, until both ends hear each other. Only the caller begins them [Note: M3].

const WATCH_MS = 5000
const ASK_MS = 8000

/** False: the frame is lost. */
export async function ringOut(call: LiveCall): Promise<boolean> {
  const { env, callId, peerId: to, attempt, callType, consent } = call
  const own = await makeCertificate()
  const signal = await env.crypto.ringCall({ ...placeIn(call), fingerprint: own.fingerprint })
  if (!isCurrent(call, attempt)) return false
  call.link = linkOf(call, own)
  const leavesTor = consent.leavesTor === true
  return sendFrame(call, { type: 'call-offer', data: { callId, to, attempt, callType, signal, ...(leavesTor && { leavesTor }) } })
}

export async function nextAttempt(call: LiveCall): Promise<void> {
  if (call.attempt >= CALL_LIMITS.attemptsMax)
    return hangUp(call, 'failed', { over: overOf('failed', call), unanswered: 'failed' })
  call.attempt += 1
  call.link?.close()
  call.link = null
  if (call.isAccepted) {
    showReconnecting(call)
    watch(call)
  }
  rememberHere(call)
  const { attempt } = call
  await ringOut(call).catch((error: unknown) => failAttempt(call, attempt, error))
}

export function seekAnother(call: LiveCall): void {
  // Until somebody answers it only rings.
  if (call.isAccepted) watch(call)
  // `comeBack` goes on.
  if (!call.env.socket.isAlive()) return
  if (call.isCaller) void nextAttempt(call)
  else sendReject(call, 'again')
}

export function comeBack(call: LiveCall): void {
  const { phase } = callStore.getState()
  if (call.isAccepted) beat(call)
  // The socket that took it may have been dying.
  const isUnheard = phase === 'calling' && !call.isRung
  if (isUnheard || (call.isAccepted && phase !== 'live')) seekAnother(call)
  // A browser says seconds later that its network is another one; its socket broke at once.
  else onNetwork(call)
}

export function onNetwork(call: LiveCall): void {
  if (!call.isAccepted) return
  if (call.isCaller) restart(call)
  else askRestart(call)
}

export function watch(call: LiveCall): void {
  afterwards(call, 'watch', call.isCaller ? WATCH_MS : ASK_MS, () => {
    const peer = call.link?.peer()
    if (peer?.connection.connectionState === 'connected') {
      // The other end’s socket comes back later than this one.
      if (peer.isOffering()) restart(call)
      return
    }
    showReconnecting(call)
    seekAnother(call)
  })
}

function restart(call: LiveCall): void {
  call.link?.restart()
  watch(call)
}

const askRestart = (call: LiveCall): void => {
  tellState(call, { asksRestart: true })
  watch(call)
}

export const linkOf = (call: LiveCall, own: OwnCertificate) => {
  call.link?.close()
  return createLink(call, own, {
    onStanding: (standing) => onStanding(call, standing),
    onAgreed: () => {
      watch(call)
      void showWords(call)
    },
    onState: (state) => onState(call, state),
    onStream: (stream) => callStore.setState({ remoteStreams: { [call.peerId]: stream } }),
    onForged: () => endForged(call),
  })
}

function onState(call: LiveCall, { video, isMuted, asksRestart }: TellState): void {
  callStore.setState({ otherVideo: video, isOtherMuted: isMuted })
  if (asksRestart && call.isCaller) restart(call)
}

function onStanding(call: LiveCall, standing: PeerStanding): void {
  if (standing === 'connected') onConnected(call)
  else if (standing !== 'connecting') onBroken(call, standing)
}

function onBroken(call: LiveCall, standing: PeerStanding): void {
  showReconnecting(call)
  if (standing === 'failed') seekAnother(call)
  else if (call.isCaller) restart(call)
  else askRestart(call)
}
