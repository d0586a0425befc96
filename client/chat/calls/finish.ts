import type { CallEndReason } from '../../../contract/chat/callframes.ts'
import type { CallContent } from '../../../contract/chat/content.ts'
import { writeLine } from './callLines.ts'
import { type CallOver, callStore, resetCall } from './callState.ts'
import { overWords } from './callWords.ts'
import { codeOf, reportBug } from './codeOf.ts'
import { isCurrent, type LiveCall, liveCall, sendEnd, setLive } from './liveCall.ts'
import { stopMedia } from './media.ts'
import { forgetHere } from './thisTab.ts'

type Outcome = CallContent['outcome']

/** The newest, so that a flood of rings fills no memory. */
const ended = new Set<string>()
const ENDED_MAX = 500
export const isEnded = (callId: string): boolean => ended.has(callId)

interface Ending {
  /** Stays until the person closes it. */
  over?: CallOver | undefined
  /** null: nobody was rung. */
  unanswered?: Outcome | null
}

/** Frees devices, connection and keys. The caller's browser writes the line. */
export function finishCall(call: LiveCall, { over, unanswered = null }: Ending = {}): void {
  if (liveCall() !== call) return
  const { callStartTime, callType, isCompared } = callStore.getState()
  setLive(undefined)
  ended.add(call.callId)
  for (const oldest of ended) if (ended.size > ENDED_MAX) ended.delete(oldest)
  for (const timer of call.timers.values()) clearTimeout(timer)
  for (const stop of call.stops) stop()
  call.stopStats()
  stopMedia(call.media)
  call.link?.close()
  forgetHere(call.callId)
  resetCall()
  if (over) {
    const { callId, chatRoomId, peerId, isCaller } = call
    callStore.setState({ phase: 'over', callId, chatRoomId, callType, isInitiator: isCaller, participants: [peerId], over })
  }
  const outcome = callStartTime !== null ? 'answered' : call.answeredAt !== null ? 'failed' : unanswered
  after(call, outcome, isCompared)
}

function after(call: LiveCall, outcome: Outcome | null, isCompared: boolean): void {
  const { env } = call
  const dropped = env.crypto.dropCall(call.callId)
  const isLineOwed = call.isCaller && call.isOffered
  const written = isLineOwed ? writeLine(env, call, outcome, isCompared) : undefined
  void Promise.all([dropped, written]).catch(reportBug)
}

export function hangUp(call: LiveCall, reason: CallEndReason, ending: Ending = {}): void {
  if (call.isOffered || !call.isCaller) sendEnd(call, reason)
  finishCall(call, ending)
}

export function endForged(call: LiveCall): void {
  hangUp(call, 'failed', { over: overOf('forged', call), unanswered: 'failed' })
}

/** Nobody has failed: the account is closed, a newer attempt runs, or the watch makes another one. */
const PASSING = ['closed', 'vault_closed', 'call_over', 'offline', 'no_answer']

/** Ends the call by the words of what its newest attempt has met. */
export function failAttempt(call: LiveCall, attempt: number, error: unknown): void {
  const code = codeOf(error)
  if (!isCurrent(call, attempt) || PASSING.includes(code)) return
  const words = error instanceof Error && code !== '' ? error.message : overOf('failed', call).words
  if (code === 'call_forged') endForged(call)
  else hangUp(call, 'failed', { over: { why: 'failed', words }, unanswered: 'failed' })
  if (code === '') globalThis.reportError?.(error)
}

export const overOf = (why: CallOver['why'], { peerId }: Pick<LiveCall, 'peerId'>): CallOver => ({
  why,
  words: overWords(why, peerId),
})
