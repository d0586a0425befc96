import { CALL_LIMITS } from '../../contract/chat/calllimits.ts'
import {
  type ClientFrame,
  clientFrame,
  type FrameType,
  type ServerData,
  type ServerFrame,
  serverFrame,
} from '../../contract/frames.ts'
import type { Socket } from '../net/socket.ts'

type Sent<T extends ClientFrame['type']> = Extract<ClientFrame, { type: T }>['data']

export interface Line {
  userId: string
  deviceId: string
  /** Names the session: tabs of one browser share it. */
  session: string
  isOpen: boolean
  hears(frame: ServerFrame): void
}

interface WiredCall {
  callId: string
  callerId: string
  calleeId: string
  callerSession: string
  calleeSession: string | null
  attempt: number
  ring: ServerData['call-offer']
  isOver: boolean
}

/**
 * The frames of calls, as the server passes them between sockets in memory. `lies` sees every frame before it is heard, and may replace
 * it, or lose it by returning null.
 */
export function callWire() {
  const lines = new Set<Line>()
  const calls = new Map<string, WiredCall>()
  const wire = {
    lies: undefined as ((frame: ServerFrame, to: string) => ServerFrame | null) | undefined,
    /** Answers a ring by this refusal. */
    refuses: undefined as ((callerId: string) => { code: string; error: string } | undefined) | undefined,
    /** The callee hears nothing of a ring. */
    isHeard: (_callerId: string, _calleeId: string): boolean => true,
    /** Takes what is of no call. */
    others: undefined as ((line: Line, frame: ClientFrame) => void) | undefined,
    /** To every tab of an account's browser; null: of all its browsers. */
    tell(userId: string, deviceId: string | null, frame: ServerFrame): void {
      for (const line of lines) if (line.userId === userId && (deviceId ?? line.deviceId) === line.deviceId) line.hears(frame)
    },
    isHere: (userId: string, deviceId: string): boolean =>
      [...lines].some((line) => line.isOpen && line.userId === userId && line.deviceId === deviceId),
    /** From a client to the server. */
    delayMs: 1,
    /** Frames that came from clients. */
    said: [] as { from: string; frame: ClientFrame }[],

    /** The socket of one page. */
    socket(userId: string, deviceId: string, session = deviceId): Socket & { breaks(): void; comesBack(): void } {
      const listeners = new Map<FrameType, Set<(data: never) => void>>()
      const line: Line = {
        ...{ userId, deviceId, session, isOpen: true },
        hears(frame) {
          if (!line.isOpen) return
          const told = wire.lies ? wire.lies(frame, userId) : frame
          if (!told) return
          const { type, data } = serverFrame.parse(structuredClone(told))
          for (const listener of listeners.get(type) ?? []) listener(data as never)
        },
      }
      lines.add(line)
      const breaks = () => {
        line.isOpen = false
      }
      return {
        open: () => undefined,
        close: breaks,
        reconnect: () => undefined,
        retry: () => undefined,
        steady: () => undefined,
        heardAt: () => 0,
        isAlive: () => line.isOpen,
        send(frame) {
          if (!line.isOpen) return false
          wire.said.push({ from: userId, frame })
          const parsed = clientFrame.parse(structuredClone(frame))
          // A frame takes its time, and leaves the sender's own step to its end.
          setTimeout(() => handle(line, parsed), wire.delayMs)
          return true
        },
        on(type, listener) {
          const set = listeners.get(type) ?? new Set()
          listeners.set(type, set.add(listener as (data: never) => void))
          return () => void set.delete(listener as (data: never) => void)
        },
        breaks,
        comesBack() {
          line.isOpen = true
          const data = { contractVersion: 1, ingress: 'direct', serverTime: new Date().toISOString(), onionAddress: null, userId }
          line.hears({ type: 'hello', data: data as ServerData['hello'] })
        },
      }
    },
    /** The server ends a call by itself. */
    ends(callId: string, reason: ServerData['call-end']['reason']): void {
      const call = calls.get(callId)
      if (call) end(call, reason, null)
    },
  }

  const to = (userId: string, session: string | null, frame: ServerFrame, except?: Line) => {
    for (const line of lines)
      if (line.userId === userId && (session === null || line.session === session) && line !== except) line.hears(frame)
  }

  function end(call: WiredCall, reason: ServerData['call-end']['reason'], by: string | null): void {
    if (call.isOver) return
    call.isOver = true
    const frame = (userId: string): ServerFrame => ({
      type: 'call-end',
      data: { callId: call.callId, to: userId, reason, from: by },
    })
    if (by !== call.callerId) to(call.callerId, call.callerSession, frame(call.callerId))
    if (by !== call.calleeId) to(call.calleeId, call.calleeSession, frame(call.calleeId))
  }

  const refused = (line: Line, callId: string, code = 'call_over', error = 'This call is over') =>
    line.hears({ type: 'refused', data: { code, error, id: callId } })

  function ring(line: Line, offer: Sent<'call-offer'>): unknown {
    const { callId, to: calleeId, attempt, callType, signal } = offer
    const refusal = wire.refuses?.(line.userId)
    if (refusal) return refused(line, callId, refusal.code, refusal.error)
    const heard = { callId, to: calleeId, attempt, callType, from: line.userId, device: line.deviceId, signal }
    const known = calls.get(callId)
    if (known?.isOver) return refused(line, callId)
    const call = known ?? {
      ...{ callId, callerId: line.userId, calleeId, callerSession: line.session, calleeSession: null, attempt: 0 },
      ...{ ring: heard, isOver: false },
    }
    calls.set(callId, call)
    line.hears({ type: 'call-success', data: { callId } })
    if (attempt <= call.attempt) return
    Object.assign(call, { attempt, ring: heard })
    if (call.calleeSession !== null || wire.isHeard(line.userId, calleeId))
      to(calleeId, call.calleeSession, { type: 'call-offer', data: heard })
    if (!known)
      setTimeout(() => call.calleeSession === null && end(call, 'no_answer', null), (CALL_LIMITS.ringSeconds + 2) * 1000)
  }

  function answer(line: Line, { callId, to: callerId, attempt, signal }: Sent<'call-answer'>): unknown {
    const call = calls.get(callId)
    if (!call || call.isOver) return refused(line, callId)
    const own = line.userId
    if (call.calleeSession !== null && call.calleeSession !== line.session)
      return line.hears({ type: 'call-end', data: { callId, to: own, reason: 'answered', from: null } })
    const isFirst = call.calleeSession === null
    call.calleeSession = line.session
    const data = { callId, to: callerId, attempt, signal, from: own, device: line.deviceId }
    to(callerId, call.callerSession, { type: 'call-answer', data })
    if (isFirst) to(own, null, { type: 'call-end', data: { callId, to: own, reason: 'answered', from: null } }, line)
  }

  function handle(line: Line, frame: ClientFrame): unknown {
    const { type, data } = frame
    if (!('callId' in data)) return wire.others?.(line, frame)
    if (type === 'call-offer') return ring(line, data)
    if (type === 'call-answer') return answer(line, data)
    const call = calls.get(data.callId)
    if (!call || call.isOver) return refused(line, data.callId)
    const isCaller = call.callerId === line.userId
    const other = isCaller ? call.calleeId : call.callerId
    const otherSession = isCaller ? call.calleeSession : call.callerSession
    const sent = { from: line.userId, device: line.deviceId }
    if (type === 'call-end') end(call, data.reason, line.userId)
    else if (type === 'call-signal') to(other, otherSession, { type, data: { ...data, ...sent } })
    else if (type === 'ice-candidate') to(other, otherSession, { type, data: { ...data, ...sent } })
    else if (type === 'call-reject') {
      to(other, otherSession, { type, data: { ...data, from: line.userId } })
      if (data.reason === 'epoch' || data.reason === 'again') return
      call.isOver = true
      if (!isCaller)
        to(
          line.userId,
          null,
          { type: 'call-end', data: { callId: call.callId, to: line.userId, reason: 'ended', from: null } },
          line,
        )
    }
  }

  return wire
}

export type CallWire = ReturnType<typeof callWire>
