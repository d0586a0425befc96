import type { TransferContent } from '../../../contract/chat/content.ts'
import type { TransferRejectReason } from '../../../contract/chat/transferframes.ts'
import type { Env } from '../../env.ts'
import type { DataPeer } from '../../rtc/channelPeer.ts'
import type { Consent } from '../calls/address.ts'
import type { SealedLink } from '../calls/sealedLink.ts'
import type { Transfer } from '../transferline/transferState.ts'
import { showTransfer } from './transferTabs.ts'

export interface Offered {
  attempt: number
  device: string
  commit: string
}

/** One end of the two channels. */
export interface Mover {
  onOpen(): void
  onControl(text: string): void
  onChunk(frame: ArrayBuffer): void
  /** The person has paused, or goes on. */
  onPause(): void
  /** Tells the other end, which may have no socket. */
  tellEnd(how: 'file-decline' | 'file-cancel'): void
  stop(): void
}

export interface TransferLink extends SealedLink<DataPeer> {
  /** undefined before the answer. */
  mover(): Mover | undefined
  isConnected(): boolean
}

/** One that this tab has in hand. */
export interface LiveTransfer {
  env: Env
  transferId: string
  chatRoomId: string
  peerId: string
  content: TransferContent
  isMine: boolean
  attempt: number
  consent: Consent
  isRelayOnly: boolean
  /** The newest attempt's. */
  link: TransferLink | null
  /** The receiver's newest accept; null at the receiver. */
  ring: Offered | null
  epochTries: number
  /** Attempts since bytes went over. */
  tries: number
  isPaused: boolean
  isPausedThere: boolean
  hasConnected: boolean
  isRelayUsedUp: boolean
  timers: Map<string, ReturnType<typeof setTimeout>>
  letGo: () => void
}

const lives = new Map<string, LiveTransfer>()

export const liveTransfer = (transferId: string): LiveTransfer | undefined => lives.get(transferId)

export const liveTransfers = (): LiveTransfer[] => [...lives.values()]

export const isLive = (one: LiveTransfer): boolean => lives.get(one.transferId) === one

/** False: another attempt has begun since. */
export const isCurrent = (one: LiveTransfer, attempt: number): boolean => isLive(one) && one.attempt === attempt

export function setLive(one: LiveTransfer): void {
  lives.set(one.transferId, one)
}

/** Closes its connection. Another tab may take it in hand. */
export function leaveTransfer(one: LiveTransfer): void {
  if (!isLive(one)) return
  lives.delete(one.transferId)
  for (const timer of one.timers.values()) clearTimeout(timer)
  one.link?.close()
  one.letGo()
}

/** The worker's verbs of calls take it [Note: M11]. */
export const placeIn = ({ chatRoomId, peerId, transferId, attempt }: LiveTransfer) => ({
  ...{ chatRoomId, peerId, callId: transferId, attempt },
  subject: 'transfer' as const,
})

export function afterwards(one: LiveTransfer, name: string, ms: number, work: () => void): void {
  forget(one, name)
  one.timers.set(
    name,
    setTimeout(() => {
      one.timers.delete(name)
      if (isLive(one)) work()
    }, ms),
  )
}

export function forget({ timers }: LiveTransfer, ...names: string[]): void {
  for (const name of names) {
    clearTimeout(timers.get(name))
    timers.delete(name)
  }
}

export function show(one: LiveTransfer, to: Partial<Transfer>): void {
  if (isLive(one)) showTransfer(one.transferId, to)
}

export const sendReject = ({ env, transferId, peerId, attempt }: LiveTransfer, reason: TransferRejectReason): boolean =>
  env.socket.send({ type: 'transfer-reject', data: { transferId, to: peerId, attempt, reason } })

export const sendHere = ({ env, transferId, peerId }: LiveTransfer): boolean =>
  env.socket.send({ type: 'transfer-here', data: { transferId, to: peerId } })
