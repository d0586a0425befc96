import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { connectionStore } from '../../net/status.ts'
import { noteUnderway } from './callLines.ts'
import { callStore } from './callState.ts'
import { hangUp, overOf } from './finish.ts'
import { afterwards, forget, type LiveCall, logUnsent } from './liveCall.ts'
import { rememberHere } from './thisTab.ts'

// How long a call rings, and waits for a connection.

const GIVE_UP_MS = 30_000
const BACK_MS = 5000

/** Waits for a socket that was just lost, which comes back by itself. */
export async function isConnected(call: LiveCall): Promise<boolean> {
  const { socket } = call.env
  if (socket.isAlive()) return true
  logUnsent()
  socket.retry()
  if (connectionStore.getState().phase === 'waiting') return false
  return new Promise((resolve) => {
    const done = (isBack: boolean) => {
      off()
      forget(call, 'socket')
      resolve(isBack)
    }
    const off = socket.on('hello', () => done(true))
    call.stops.add(() => done(false))
    afterwards(call, 'socket', BACK_MS, () => done(false))
  })
}

export function setAnswered(call: LiveCall): void {
  call.isAccepted = true
  call.answeredAt ??= call.env.clock().getTime()
  forget(call, 'ring')
  if (['calling', 'incoming', 'starting'].includes(callStore.getState().phase)) callStore.setState({ phase: 'connecting' })
  waitAtMost(call)
  beat(call)
  rememberHere(call)
  noteUnderway(call)
}

export function stayIn(call: LiveCall): void {
  if (call.isAccepted) {
    waitAtMost(call)
    beat(call)
  } else ringUntil(call)
}

export function ringUntil(call: LiveCall): void {
  afterwards(call, 'ring', CALL_LIMITS.ringSeconds * 1000, () => {
    hangUp(call, 'no_answer', { over: overOf('no_answer', call), unanswered: 'no_answer' })
  })
}

export function beat(call: LiveCall): void {
  const { env, callId } = call
  env.socket.send({ type: 'call-beat', data: { callId } })
  afterwards(call, 'beat', CALL_LIMITS.beatMs, () => {
    rememberHere(call)
    noteUnderway(call)
    beat(call)
  })
}

export function showReconnecting(call: LiveCall): void {
  if (callStore.getState().phase === 'live')
    callStore.setState({ phase: 'reconnecting', reconnectingSince: call.env.clock().getTime() })
  waitAtMost(call)
}

export function waitAtMost(call: LiveCall): void {
  if (call.timers.has('giveUp')) return
  afterwards(call, 'giveUp', GIVE_UP_MS, () => {
    const wasLive = callStore.getState().callStartTime !== null
    hangUp(call, wasLive ? 'lost' : 'failed', { over: overOf(wasLive ? 'left' : 'failed', call), unanswered: 'failed' })
  })
}
