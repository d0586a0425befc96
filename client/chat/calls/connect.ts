import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import { readyRoom } from '../../rooms/log/readyRoom.ts'
import { makeCertificate, type OwnCertificate } from '../../rtc/certificate.ts'
import { hasRelay } from '../../rtc/ice.ts'
import type { PeerStanding } from '../../rtc/peer.ts'
import { followStats } from '../../rtc/stats.ts'
import { callStore } from './callState.ts'
import { NO_RELAY_LEFT } from './callWords.ts'
import { endForged, hangUp, overOf } from './finish.ts'
import { createLink, type TellState } from './link.ts'
import { afterwards, codeOf, forget, isLive, type LiveCall, placeIn, type Ring, sendFrame, sendReject } from './liveCall.ts'
import { beat, setAnswered, showReconnecting } from './patience.ts'
import { relayOf } from './relay.ts'
import { tellState } from './shownMedia.ts'
import { rememberHere } from './thisTab.ts'

// One attempt after the other, until both ends hear each other. Only the caller begins them [Note: M3].

const WATCH_MS = 5000
const ASK_MS = 8000
const EPOCH_TRIES = 3

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

const isCurrent = (call: LiveCall, attempt: number): boolean => isLive(call) && call.attempt === attempt

interface BoundAnswer {
  attempt: number
  own: OwnCertificate
  signal: string
}

/** Says nothing yet, so it may run beside what else Accept takes. Throws CryptoFailure, or NotReady. */
export async function bindAnswer(call: LiveCall): Promise<BoundAnswer | undefined> {
  const { env, attempt, ring } = call
  if (!ring) return undefined
  const own = await makeCertificate()
  const bound = { ...placeIn(call), attempt, fingerprint: own.fingerprint, callerDevice: ring.device, commit: ring.commit }
  const signal = await env.crypto.answerCall(bound).catch(async (error: unknown) => {
    if (codeOf(error) !== 'outside') throw error
    await enterRoom(call)
    return env.crypto.answerCall(bound)
  })
  return { attempt, own, signal }
}

/** Throws CryptoFailure, or NotReady. */
export async function answerRing(call: LiveCall, binding = bindAnswer(call)): Promise<void> {
  const { callId, peerId: to, consent } = call
  let bound = await binding
  // The caller has rung anew since; the answer of an accepted call begins in `takeAnotherRing`.
  while (bound && isLive(call) && !call.isAccepted && bound.attempt !== call.attempt) bound = await bindAnswer(call)
  if (!bound || !isCurrent(call, bound.attempt)) return
  const { attempt, own, signal } = bound
  call.link = linkOf(call, own)
  const leavesTor = consent.leavesTor === true
  sendFrame(call, { type: 'call-answer', data: { callId, to, attempt, signal, ...(leavesTor && { leavesTor }) } })
  setAnswered(call)
  watch(call)
  await begin(call)
}

async function enterRoom({ env, chatRoomId }: LiveCall): Promise<void> {
  const room = roomById(chatRoomId)
  const readiness = room && (await readyRoom(env, room))
  if (readiness?.ready === false) throw new NotReady(readiness.reason)
}

export class NotReady extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'NotReady'
  }
}

export async function takeAnswer(call: LiveCall, answer: { attempt: number; device: string; signal: string }): Promise<void> {
  const { env, attempt, link } = call
  if (answer.attempt !== attempt || !link || link.isAnswered) return
  const bound = { ...placeIn(call), calleeDevice: answer.device, answer: answer.signal }
  link.isAnswered = true
  try {
    await env.crypto.acceptAnswer(bound).catch(async (error: unknown) => {
      // The commit may be on its way to this browser.
      const room = codeOf(error) === 'epoch' ? roomById(call.chatRoomId) : undefined
      if (!room) throw error
      await catchUp(env, room)
      await env.crypto.acceptAnswer(bound)
    })
  } catch (error) {
    if (!isCurrent(call, attempt)) return
    link.isAnswered = false
    return refuseAnswer(call, error)
  }
  if (!isCurrent(call, attempt)) return
  setAnswered(call)
  watch(call)
  await begin(call)
}

function refuseAnswer(call: LiveCall, error: unknown): void {
  const code = codeOf(error)
  if (code === 'epoch' && call.epochTries < EPOCH_TRIES) {
    call.epochTries += 1
    sendReject(call, 'epoch')
  } else if (code === 'call_forged') endForged(call)
  else {
    const words = error instanceof Error && code !== '' ? error.message : overOf('failed', call).words
    hangUp(call, 'failed', { over: { why: 'failed', words }, unanswered: 'failed' })
    if (code === '') globalThis.reportError?.(error)
  }
}

export async function answerAnew(call: LiveCall): Promise<void> {
  if (call.isCaller || !call.isAccepted || call.epochTries >= EPOCH_TRIES) return
  call.epochTries += 1
  const room = roomById(call.chatRoomId)
  if (room) await catchUp(call.env, room)
  call.link?.close()
  await answerRing(call)
}

export function comeBack(call: LiveCall): void {
  const { phase } = callStore.getState()
  if (call.isAccepted) beat(call)
  const isUnsent = phase === 'calling' && !call.link
  if (isUnsent || (call.isAccepted && phase !== 'live')) seekAnother(call)
}

async function begin(call: LiveCall): Promise<void> {
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

const linkOf = (call: LiveCall, own: Awaited<ReturnType<typeof makeCertificate>>) => {
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

/** Nobody has compared the words of another attempt. */
async function showWords(call: LiveCall): Promise<void> {
  const words = await call.env.crypto.callWords(call.callId).catch((error: unknown) => {
    if (codeOf(error) !== 'call_over') throw error
  })
  const before = callStore.getState().words
  if (!words || !isLive(call) || before?.join() === words.join()) return
  callStore.setState({ words, isCompared: false })
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

function onConnected(call: LiveCall): void {
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
    onMeasured: ({ line, isRelayed }) => callStore.setState({ line, isRelayed: isRelayed || call.isRelayOnly }),
    onSpeaks: (speaks) => callStore.setState({ speaks }),
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

export function onNetwork(call: LiveCall): void {
  if (!call.isAccepted) return
  if (call.isCaller) restart(call)
  else askRestart(call)
}

function watch(call: LiveCall): void {
  afterwards(call, 'watch', call.isCaller ? WATCH_MS : ASK_MS, () => {
    const peer = call.link?.peer()
    if (peer?.connection.connectionState === 'connected' && !peer.isOffering()) return
    showReconnecting(call)
    seekAnother(call)
  })
}

export function seekAnother(call: LiveCall): void {
  watch(call)
  // `comeBack` goes on.
  if (!call.env.socket.isAlive()) return
  if (call.isCaller) void nextAttempt(call)
  else sendReject(call, 'again')
}

export async function nextAttempt(call: LiveCall): Promise<void> {
  if (call.attempt >= CALL_LIMITS.attemptsMax)
    return hangUp(call, 'failed', { over: overOf('failed', call), unanswered: 'failed' })
  call.attempt += 1
  call.link?.close()
  call.link = null
  showReconnecting(call)
  if (call.isAccepted) watch(call)
  rememberHere(call)
  await ringOut(call)
}

export async function takeAnotherRing(call: LiveCall, ring: Ring): Promise<void> {
  if (call.isCaller || ring.attempt <= call.attempt) return
  call.attempt = ring.attempt
  call.ring = ring
  call.epochTries = 0
  if (!call.isAccepted) return
  call.link?.close()
  call.link = null
  showReconnecting(call)
  rememberHere(call)
  await answerRing(call)
}
