import {
  type Bytes,
  concat,
  decodeFields,
  encodeFields,
  fromBase64,
  fromUtf8,
  sameBytes,
  toBase64,
} from '../../../contract/ground/bytes.ts'
import {
  type CallEpoch,
  type CallName,
  type CallPlace,
  callForged,
  callOver,
  callReplayed,
  type HeldCall,
  heldCall,
  NONCE_BYTES,
  type OtherEnd,
  orForged,
  requireCall,
} from '../keys/heldCalls.ts'
import type { Live } from '../keys/live.ts'
import { peerOf } from '../lists/peers.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { digestOf, erase, openWith, sealWith, signSoon, verifySoon } from '../primitives/seal.ts'
import { boundTo, callKeyOf, frameKeyOf, LABELS } from './callSecrets.ts'
import { fingerprintIn } from './fingerprints.ts'

export type SignalKind = (typeof KINDS)[number]
const KINDS = ['offer', 'answer', 'candidates', 'state'] as const

/** [Note: M3] The caller offers. */
const maySend = (isCaller: boolean, kind: SignalKind): boolean => kind !== (isCaller ? 'answer' : 'offer')
const isDescription = (kind: SignalKind): boolean => kind === 'offer' || kind === 'answer'

/** Returns base64. Throws 'call_over', 'call_forged' for an own SDP with another certificate. */
export async function sealSignal(
  live: Live,
  { kind, payload, ...name }: CallName & { attempt: number; kind: SignalKind; payload: Bytes },
): Promise<string> {
  const call = requireCall(live, name)
  const { key, other, epoch, own } = call
  if (!key || !other || !epoch || !maySend(call.isCaller, kind)) throw callOver()
  if (isDescription(kind) && !sameBytes(fingerprintIn(fromUtf8(payload)), own.fingerprint)) throw callForged()
  call.sent += 1
  const frame: Frame = { kind, n: call.sent, sender: own.device, receiver: other.device }
  const [signature, frameKey] = await Promise.all([
    signSoon(call.leafSeed, LABELS[call.subject].signal, ...signedFields(call, epoch, frame, payload)),
    frameKeyOf(key, call.subject, own.device),
  ])
  const sealed = await sealWith(
    frameKey,
    LABELS[call.subject].frame,
    encodeFields(payload, signature),
    ...sealedFields(call, frame),
  )
  erase(frameKey)
  return toBase64(encodeFields(kind, String(frame.n), kind === 'offer' ? own.nonce : '', sealed))
}

interface Frame {
  kind: SignalKind
  n: number
  sender: string
  receiver: string
}

const sealedFields = ({ chatRoomId, callId, attempt }: CallPlace, { sender, receiver, kind, n }: Frame): string[] => [
  ...[chatRoomId, callId, String(attempt), sender, receiver, kind, String(n)],
]

const signedFields = (
  { callId, attempt }: CallPlace,
  { groupId, epoch }: CallEpoch,
  { sender, receiver, kind, n }: Frame,
  payload: Bytes,
): (Bytes | string)[] => [groupId, String(epoch), callId, String(attempt), sender, receiver, String(n), kind, digestOf(payload)]

interface SealedSignal extends CallName {
  attempt: number
  /** base64. */
  sealed: string
}

/**
 * Throws 'call_forged' (frame, sender, nonce or certificate do not fit what was bound: end the call), 'call_replayed' (drop the frame),
 * 'call_over'.
 */
export async function openSignal(live: Live, input: SealedSignal): Promise<{ kind: SignalKind; payload: Bytes }> {
  const call = requireCall(live, input)
  const opened = call.turn.then(() => openNext(live, call, input))
  call.turn = opened.catch(() => undefined)
  return opened.catch((error: unknown) => {
    // Erased keys open nothing, which is no forgery.
    if (heldCall(live, input) !== call) throw callOver()
    throw error
  })
}

async function openNext(live: Live, call: HeldCall, { sealed }: SealedSignal): Promise<{ kind: SignalKind; payload: Bytes }> {
  const { other, epoch } = call
  if (!other || !epoch || (call.isCaller && !call.key)) throw callOver()
  const { kind, n, nonce, body } = readFrame(sealed)
  const shown = other.nonce ?? nonce
  // The first offer proves the caller.
  if (!shown || !maySend(!call.isCaller, kind) || (nonce && !sameBytes(nonce, shown))) throw callForged()
  const key = call.key ?? (await callKeyOf(epoch.exporter, call, [shown, call.own.nonce]))
  const frame: Frame = { kind, n, sender: other.device, receiver: call.own.device }
  const { payload, signature } = await openedBody(key, call, frame, body)
  const leafKey = await listedLeaf(live, call, other)
  const signed = signedFields(call, epoch, frame, payload)
  if (!(await verifySoon(leafKey, signature, LABELS[call.subject].signal, ...signed))) throw callForged()
  const fingerprint = isDescription(kind) ? provedIn(call, other, shown, payload) : other.fingerprint
  if (heldCall(live, call) !== call) throw callOver()
  if (n <= call.heard) throw callReplayed()
  Object.assign(call, { heard: n, key, other: { ...other, nonce: shown, fingerprint } })
  erase(epoch.exporter)
  return { kind, payload }
}

function provedIn(call: HeldCall, other: OtherEnd, nonce: Bytes, sdp: Bytes): Bytes {
  const fingerprint = fingerprintIn(textOf(sdp))
  if (!sameBytes(boundTo(call, { device: other.device, nonce, fingerprint }), other.bound)) throw callForged()
  return fingerprint
}

/** A device may be removed in the call. */
async function listedLeaf(live: Live, { peerId, accountKeys }: HeldCall, { device }: OtherEnd): Promise<Bytes> {
  const peer = await peerOf(live, peerId)
  const listed = peer?.manifest.devices.find(({ id }) => id === device)
  if (!peer || !listed || !sameBytes(peer.identityKey, accountKeys.other)) throw callForged()
  return fromBase64(listed.leafKey)
}

async function openedBody(key: Bytes, call: HeldCall, frame: Frame, body: Bytes): Promise<{ payload: Bytes; signature: Bytes }> {
  try {
    const frameKey = await frameKeyOf(key, call.subject, frame.sender)
    const plain = await openWith(frameKey, LABELS[call.subject].frame, body, ...sealedFields(call, frame))
    const [payload, signature, ...more] = decodeFields(plain)
    if (payload && signature && more.length === 0) return { payload: concat(payload), signature }
  } catch (cause) {
    if (cause instanceof CryptoFailure || cause instanceof RangeError) throw callForged(cause)
    throw cause
  }
  throw callForged()
}

interface ReadFrame {
  kind: SignalKind
  n: number
  /** An offer has it. */
  nonce: Bytes | undefined
  body: Bytes
}

function readFrame(text: string): ReadFrame {
  const [kindBytes, number, nonce, body, ...more] = orForged(() => decodeFields(fromBase64(text)))
  const kind = KINDS.find((known) => kindBytes && known === textOf(kindBytes))
  const n = number && /^[1-9]\d{0,8}$/.test(textOf(number)) ? Number(textOf(number)) : 0
  if (!kind || n === 0 || !nonce || !body || more.length > 0) throw callForged()
  if (nonce.length !== (kind === 'offer' ? NONCE_BYTES : 0)) throw callForged()
  return { kind, n, nonce: kind === 'offer' ? nonce : undefined, body }
}

const textOf = (bytes: Bytes): string => orForged(() => fromUtf8(bytes))
