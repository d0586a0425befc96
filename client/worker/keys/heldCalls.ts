import type { Bytes } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase } from '../primitives/seal.ts'
import type { Live } from './live.ts'

export const NONCE_BYTES = 32

/** [Note: M11] Each has labels of its own, so neither opens what is the other's. */
export type CallSubject = 'call' | 'transfer'

export interface CallName {
  callId: string
  /** A call without it; the receiver of a transfer is its caller. */
  subject?: CallSubject
}

/** Devices in hex. */
export interface CallPlace extends CallName {
  chatRoomId: string
  peerId: string
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
  subject: CallSubject
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

const idOf = ({ callId, subject = 'call' }: CallName): string => `${subject} ${callId}`

export const heldCall = (live: Live, name: CallName): HeldCall | undefined => memory.get(live)?.get(idOf(name))

/** Throws 'call_over'. */
export function requireCall(live: Live, name: CallName & Pick<CallPlace, 'attempt'>): HeldCall {
  const call = heldCall(live, name)
  if (call?.attempt !== name.attempt) throw callOver()
  return call
}

/** Erases the attempt before. Throws 'call_over' for a call that has ended. */
export function holdCall(live: Live, call: HeldCall): void {
  if (ended.get(live)?.has(idOf(call))) {
    eraseCall(call)
    throw callOver()
  }
  dropHeld(live, call)
  const calls = memory.get(live) ?? new Map<string, HeldCall>()
  memory.set(live, calls.set(idOf(call), call))
  live.dropCalls = () => dropCalls(live)
}

function dropHeld(live: Live, name: CallName): void {
  const call = heldCall(live, name)
  if (!call) return
  eraseCall(call)
  memory.get(live)?.delete(idOf(name))
}

function eraseCall({ leafSeed, own, key, epoch, other }: HeldCall): void {
  erase(leafSeed, own.nonce)
  for (const secret of [key, epoch?.exporter, other?.nonce]) if (secret) erase(secret)
}

const ended = new WeakMap<Live, Set<string>>()
const ENDED_MAX = 100

/** An end overtakes what begins the call, whose keys would stay. */
export function endHeld(live: Live, name: CallName): void {
  dropHeld(live, name)
  const ids = ended.get(live) ?? new Set()
  ended.set(live, ids.add(idOf(name)))
  const [oldest] = ids
  if (oldest !== undefined && ids.size > ENDED_MAX) ids.delete(oldest)
}

/** A transfer goes on after a pause, by another attempt. */
export function resumeHeld(live: Live, name: CallName): void {
  if (name.subject === 'transfer') ended.get(live)?.delete(idOf(name))
}

function dropCalls(live: Live): void {
  for (const call of [...(memory.get(live)?.values() ?? [])]) dropHeld(live, call)
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
