import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { makeCertificate, type OwnCertificate } from '../../rtc/certificate.ts'
import { hasRelay } from '../../rtc/ice.ts'
import type { PeerStanding } from '../../rtc/peer.ts'
import { readReport } from '../../rtc/stats.ts'
import { showToast } from '../../ui/toast.ts'
import { otherName } from '../calls/callWords.ts'
import { codeOf, reportBug } from '../calls/codeOf.ts'
import { TOASTS } from '../transferline/transferWords.ts'
import { askConnection } from './askConnection.ts'
import { afterwards, forget, isCurrent, isLive, type LiveTransfer, placeIn, sendReject, show } from './liveTransfer.ts'
import { receiveOver } from './receiveLoop.ts'
import { sendOver } from './sendLoop.ts'
import { closeTransfer, endByItself, receiveWhole, stopFor, stopUnconnected } from './transferEnd.ts'
import { createTransferLink } from './transferLink.ts'
import { remember } from './transferMemory.ts'
import { relayOf } from './transferRelay.ts'

// One attempt after the other, until both ends are connected. Only the receiver begins them [Note: M11].

const WATCH_MS = 5000
const ASK_MS = 8000
const CLOSED_MS = 2000
/** The sender cannot now: its chat is locked, or it must be asked. */
const UNABLE_MS = 60_000
/** Before each try after the first. */
const PAUSES_MS = [0, 1000, 3000, 8000, 15_000]

/** Begins a series of tries, where the person lets it connect. */
export async function seekSender(one: LiveTransfer): Promise<void> {
  one.tries = 0
  const { attempt } = one
  try {
    const address = await askConnection(one.env, one.consent)
    if (!isCurrent(one, attempt)) return
    if ('refusal' in address) return stopFor(one, address.refusal)
    one.isRelayOnly = address.isRelayOnly
    await nextAttempt(one)
  } catch (error) {
    failAttempt(one, attempt, error)
  }
}

async function nextAttempt(one: LiveTransfer): Promise<void> {
  forget(one, 'watch', 'again')
  one.link?.close()
  one.link = null
  if (one.isPaused) return show(one, { stage: 'paused' })
  show(one, { stage: 'connecting', refusal: null })
  // The next `hello` goes on.
  if (!one.env.socket.isAlive()) return
  if (one.attempt >= TRANSFER_LIMITS.attemptsMax) return stopUnconnected(one)
  one.attempt += 1
  one.epochTries = 0
  remember(one.transferId, { attempt: one.attempt })
  const { attempt, env, transferId, peerId: to, consent } = one
  watch(one)
  try {
    const own = await makeCertificate()
    const signal = await env.crypto.ringCall({ ...placeIn(one), fingerprint: own.fingerprint })
    if (!isCurrent(one, attempt)) return
    one.link = linkOf(one, own)
    const leavesTor = consent.leavesTor === true
    env.socket.send({ type: 'transfer-accept', data: { transferId, to, attempt, signal, ...(leavesTor && { leavesTor }) } })
  } catch (error) {
    failAttempt(one, attempt, error)
  }
}

/** The other browser begins anew when it is there, and able. */
export function waitForOther(one: LiveTransfer): void {
  forget(one, 'watch', 'again')
  one.link?.close()
  one.link = null
  one.tries = 0
  show(one, { stage: 'waiting' })
}

/** It says `transfer-here` when it can. */
export function waitUntilAble(one: LiveTransfer): void {
  waitForOther(one)
  afterwards(one, 'again', UNABLE_MS, () => void nextAttempt(one))
}

/** Another try, later each time. The sender asks for it. */
export function tryAgain(one: LiveTransfer): void {
  forget(one, 'watch')
  one.link?.close()
  one.link = null
  if (one.isMine) {
    one.tries += 1
    show(one, { stage: 'waiting' })
    sendReject(one, 'again')
    return
  }
  if (one.timers.has('again')) return
  const pause = PAUSES_MS[one.tries]
  one.tries += 1
  if (pause === undefined) {
    stopUnconnected(one)
    return
  }
  show(one, { stage: one.isPaused ? 'paused' : 'connecting' })
  // Both ends of many transfers would come at once.
  afterwards(one, 'again', pause * (0.8 + Math.random() * 0.4), () => void nextAttempt(one))
}

export function watch(one: LiveTransfer): void {
  afterwards(one, 'watch', one.isMine ? ASK_MS : WATCH_MS, () => {
    if (!one.link?.isConnected()) tryAgain(one)
    // The other end’s socket comes back later than this one.
    else if (one.link.peer()?.isOffering()) restart(one)
  })
}

/** Nobody has failed: the account is closed, or a newer attempt runs. */
const PASSING = ['closed', 'vault_closed', 'call_over']

export function failAttempt(one: LiveTransfer, attempt: number, error: unknown): void {
  const code = codeOf(error)
  if (!isCurrent(one, attempt) || PASSING.includes(code)) return
  if (code === 'file_changed' || code === 'file_absent') return void endByItself(one, 'changed').catch(reportBug)
  if (one.isMine) {
    sendReject(one, 'failed')
    // A true one goes on.
    if (code === 'call_forged') stopUnconnected(one)
    else waitForOther(one)
  } else if (code === 'quota') stopFor(one, 'no_room')
  // Unlocking it goes on.
  else if (code === 'room_locked') waitForOther(one)
  else if (code === 'offline' || code === 'no_answer') tryAgain(one)
  else {
    stopUnconnected(one)
    if (code === '') globalThis.reportError?.(error)
  }
}

export function linkOf(one: LiveTransfer, own: OwnCertificate) {
  const { attempt } = one
  one.link?.close()
  const events = {
    onFailed: (error: unknown) => failAttempt(one, attempt, error),
    onEnd: (end: 'declined' | 'cancelled') => void closeTransfer(one.env, one.transferId, end).catch(reportBug),
    onSilent: () => tryAgain(one),
    onForged: () => void endByItself(one, 'forged').catch(reportBug),
    onWhole: () => receiveWhole(one),
  }
  return createTransferLink(one, own, {
    onStanding: (standing) => onStanding(one, standing),
    onAgreed: () => watch(one),
    onOpen: () => onOpen(one),
    // The receiver closes it when it has everything, which the server says a little later.
    onClosed: () => (one.isMine ? afterwards(one, 'watch', CLOSED_MS, () => tryAgain(one)) : tryAgain(one)),
    onRestart: () => !one.isMine && restart(one),
    onForged: () => stopUnconnected(one),
    makeMover: (channels) => (one.isMine ? sendOver(one, channels, events) : receiveOver(one, channels, events)),
  })
}

export async function begin(one: LiveTransfer): Promise<void> {
  const { link, attempt } = one
  try {
    const servers = await relayOf(one)
    if (!isLive(one) || one.link !== link) return
    if (one.isRelayOnly && !hasRelay(servers)) return stopFor(one, one.isRelayUsedUp ? 'relay_limit' : 'no_relay')
    link?.start(servers)
  } catch (error) {
    failAttempt(one, attempt, error)
  }
}

function onOpen(one: LiveTransfer): void {
  forget(one, 'watch')
  const { link } = one
  show(one, { stage: one.isPaused ? 'paused' : 'moving', refusal: null, isRelayed: one.isRelayOnly })
  const stats = link?.peer()?.connection.getStats() ?? Promise.resolve(new Map())
  void stats.then((report: RTCStatsReport) => {
    if (!isLive(one) || one.link !== link) return
    const isRelayed = one.isRelayOnly || readReport(report).isRelayed
    show(one, { isRelayed })
    if (!one.hasConnected) showToast(TOASTS.connected(otherName(one.peerId), isRelayed))
    one.hasConnected = true
  })
}

function onStanding(one: LiveTransfer, standing: PeerStanding): void {
  if (standing === 'connected') forget(one, 'watch')
  else if (standing === 'failed') tryAgain(one)
  else if (standing === 'disconnected') findAnotherWay(one)
}

/** The network has changed, or the other end is not heard. */
export function findAnotherWay(one: LiveTransfer): void {
  if (!one.link?.isAgreed) return
  if (one.isMine) one.link.sends('state', JSON.stringify({ asksRestart: true }))
  else restart(one)
  watch(one)
}

function restart(one: LiveTransfer): void {
  one.link?.restart()
  watch(one)
}
