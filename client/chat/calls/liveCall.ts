import type { CallEndReason, CallRejectReason } from '../../../contract/chat/callframes.ts'
import type { CallType } from '../../../contract/chat/calllimits.ts'
import type { ClientFrame } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'
import type { IceServer } from '../../rtc/ice.ts'
import type { MediaKind, MediaPeer } from '../../rtc/mediaPeer.ts'
import type { Consent } from './address.ts'
import type { CallMedia } from './media.ts'
import type { SealedLink } from './sealedLink.ts'

export interface Relay {
  iceServers: readonly IceServer[]
  /** ISO 8601. */
  expiresAt: string | null
}

export interface Link extends SealedLink<MediaPeer> {
  setTrack(kind: MediaKind, track: MediaStreamTrack | null): Promise<void>
}

export interface Ring {
  attempt: number
  device: string
  commit: string
}

export interface LiveCall {
  env: Env
  callId: string
  chatRoomId: string
  ownId: string
  peerId: string
  isCaller: boolean
  callType: CallType
  attempt: number
  consent: Consent
  isRelayOnly: boolean
  media: CallMedia
  /** The newest attempt's. */
  link: Link | null
  relay: Promise<Relay> | null
  /** The newest; null at the caller. */
  ring: Ring | null
  isOffered: boolean
  /** The server has the ring. */
  isRung: boolean
  isAccepted: boolean
  /** ms since 1970; null before the answer. */
  answeredAt: number | null
  epochTries: number
  timers: Map<string, ReturnType<typeof setTimeout>>
  stops: Set<() => void>
  stopStats: () => void
}

let live: LiveCall | undefined

export const liveCall = (): LiveCall | undefined => live

export const isLive = (call: LiveCall): boolean => live === call

/** False: another attempt has begun since. */
export const isCurrent = (call: LiveCall, attempt: number): boolean => isLive(call) && call.attempt === attempt

export function setLive(call: LiveCall | undefined): void {
  live = call
}

export const placeIn = ({ chatRoomId, peerId, callId, attempt }: LiveCall) => ({ chatRoomId, peerId, callId, attempt })

export function afterwards(call: LiveCall, name: string, ms: number, work: () => void): void {
  forget(call, name)
  call.timers.set(
    name,
    setTimeout(() => {
      call.timers.delete(name)
      if (isLive(call)) work()
    }, ms),
  )
}

export function forget({ timers }: LiveCall, name: string): void {
  clearTimeout(timers.get(name))
  timers.delete(name)
}

/** The specification's. */
export const logUnsent = (): void => console.error('WebSocket not connected for video call')

/** False: the frame is lost. */
export function sendFrame({ env }: Pick<LiveCall, 'env'>, frame: ClientFrame): boolean {
  const isSent = env.socket.send(frame)
  if (!isSent) logUnsent()
  return isSent
}

export const sendEnd = (call: LiveCall, reason: CallEndReason): boolean =>
  sendFrame(call, { type: 'call-end', data: { callId: call.callId, to: call.peerId, reason } })

export const sendReject = (to: Pick<LiveCall, 'env' | 'callId' | 'peerId' | 'attempt'>, reason: CallRejectReason): boolean =>
  sendFrame(to, { type: 'call-reject', data: { callId: to.callId, to: to.peerId, attempt: to.attempt, reason } })
