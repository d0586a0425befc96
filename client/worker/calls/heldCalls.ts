import type { Bytes } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase } from '../primitives/seal.ts'

export const NONCE_BYTES = 32

/** Devices in hex. */
export interface CallPlace {
  chatRoomId: string
  peerId: string
  callId: string
  attempt: number
}

export interface CallEnd {
  device: string
  nonce: Bytes
  fingerprint: Bytes
}

export interface OtherEnd {
  device: string
  /** The commitment or bind, which came first. */
  bound: Bytes
  nonce: Bytes | undefined
  /** Set once proved. */
  fingerprint: Bytes | undefined
}

export interface CallEpoch {
  groupId: Bytes
  epoch: number
  /** Erased with the first frame. */
  exporter: Bytes
}

/** [Note: M3] Frames need nothing else, so a chat may be locked in the call. */
export interface HeldCall extends CallPlace {
  isCaller: boolean
  own: CallEnd
  leafSeed: Bytes
  accountKeys: { own: Bytes; other: Bytes }
  /** The other one in earlier attempts. */
  onlyDevice: string | undefined
  other: OtherEnd | undefined
  epoch: CallEpoch | undefined
  key: Bytes | undefined
  answers: number
  sent: number
  heard: number
  /** Frames wait for each other. */
  turn: Promise<unknown>
}

const memory = new WeakMap<Live, Map<string, HeldCall>>()

export const heldCall = (live: Live, callId: string): HeldCall | undefined => memory.get(live)?.get(callId)

/** Throws 'call_over'. */
export function requireCall(live: Live, { callId, attempt }: Pick<CallPlace, 'callId' | 'attempt'>): HeldCall {
  const call = heldCall(live, callId)
  if (call?.attempt !== attempt) throw callOver()
  return call
}

/** Erases the attempt before. Throws 'call_over' for a call that has ended. */
export function holdCall(live: Live, call: HeldCall): void {
  if (ended.get(live)?.has(call.callId)) {
    eraseCall(call)
    throw callOver()
  }
  dropHeld(live, call.callId)
  const calls = memory.get(live) ?? new Map<string, HeldCall>()
  memory.set(live, calls.set(call.callId, call))
  live.dropCalls = () => dropCalls(live)
}

export function dropHeld(live: Live, callId: string): void {
  const call = heldCall(live, callId)
  if (!call) return
  eraseCall(call)
  memory.get(live)?.delete(callId)
}

function eraseCall({ leafSeed, own, key, epoch, other }: HeldCall): void {
  erase(leafSeed, own.nonce)
  for (const secret of [key, epoch?.exporter, other?.nonce]) if (secret) erase(secret)
}

const ended = new WeakMap<Live, Set<string>>()
const ENDED_MAX = 100

/** An end overtakes what begins the call, whose keys would stay. */
export function endHeld(live: Live, callId: string): void {
  dropHeld(live, callId)
  const ids = ended.get(live) ?? new Set()
  ended.set(live, ids.add(callId))
  const [oldest] = ids
  if (oldest !== undefined && ids.size > ENDED_MAX) ids.delete(oldest)
}

function dropCalls(live: Live): void {
  for (const callId of [...(memory.get(live)?.keys() ?? [])]) dropHeld(live, callId)
}

export const callOver = (): CryptoFailure => new CryptoFailure('call_over', 'This call is over')

export const callForged = (cause?: unknown): CryptoFailure =>
  new CryptoFailure('call_forged', 'Somebody changed this call on its way, so it was ended', { cause })

/** Reads what came from elsewhere. Throws 'call_forged' for what is no such thing. */
export function orForged<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw callForged(cause)
  }
}

export const callReplayed = (): CryptoFailure => new CryptoFailure('call_replayed', 'This was heard before')
