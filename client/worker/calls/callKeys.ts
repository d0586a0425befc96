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
import { epochOf, exporterOf, type Group, groupIdOf } from '../group/mls.ts'
import {
  type CallEpoch,
  type CallPlace,
  type CallSubject,
  callForged,
  callOver,
  callReplayed,
  endHeld,
  type HeldCall,
  heldCall,
  holdCall,
  NONCE_BYTES,
  orForged,
  requireCall,
  resumeHeld,
} from '../keys/heldCalls.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { loadPart } from '../primitives/loadPart.ts'
import { erase, randomBytes } from '../primitives/seal.ts'
import { releaseTransfer, requireOffer } from '../transfers/heldTransfers.ts'
import { type CallRoom, callRoom } from './callRoom.ts'
import { boundTo, callKeyOf, inOrder, wordSeedOf, wordsOf } from './callSecrets.ts'
import { readFingerprint } from './fingerprints.ts'

const HASH_BYTES = 32
/** Three follow rejections by `epoch`. */
const ANSWERS_MAX = 4

/**
 * Returns the commitment, base64 [Note: M3]. `fingerprint`: as in SDP. Throws what `callRoom` throws, 'call_over' for an attempt that is
 * not above the last.
 */
export async function ringCall(live: Live, input: CallPlace & { fingerprint: string }): Promise<string> {
  const fingerprint = readFingerprint(input.fingerprint)
  resumeHeld(live, input)
  const room = await callRoom(live, input)
  const before = heldCall(live, input)
  if (before && (!before.isCaller || before.attempt >= input.attempt || !isSamePlace(before, input))) throw callOver()
  const call = begun(live, input, { fingerprint, room, isCaller: true, before })
  holdCall(live, call)
  return toBase64(boundTo(call, call.own))
}

/**
 * Returns the answer's `signal`, base64. Throws what `callRoom` throws, 'outside' (ready the room first), 'call_over' for an older
 * attempt, 'call_forged' for another commitment, 'file_absent' for a transfer whose file is not kept here.
 */
export async function answerCall(
  live: Live,
  input: CallPlace & { fingerprint: string; callerDevice: string; commit: string },
): Promise<string> {
  const fingerprint = readFingerprint(input.fingerprint)
  const bound = orForged(() => fromBase64(input.commit))
  if (bound.length !== HASH_BYTES || input.callerDevice === live.device.id) throw callForged()
  resumeHeld(live, input)
  const room = await callRoom(live, input)
  if (input.subject === 'transfer') await requireOffer(live, input)
  // What is unproved may not end what runs.
  if (input.subject === 'transfer' && !lists(room, input.callerDevice)) throw callForged()
  if (!room.group) throw new CryptoFailure('outside', 'This device is not in this chat yet')
  const before = heldCall(live, input)
  if (before) requireNext(before, input, bound)
  const epoch = epochIn(room.group)
  const answers = before?.attempt === input.attempt ? before.answers + 1 : 1
  const call: HeldCall = {
    ...begun(live, input, { fingerprint, room, isCaller: false, before }),
    other: { device: input.callerDevice, bound, nonce: undefined, fingerprint: undefined },
    ...{ epoch, answers },
  }
  holdCall(live, call)
  return toBase64(encodeFields(epoch.groupId, String(epoch.epoch), call.own.nonce, boundTo(call, call.own)))
}

const lists = ({ peer }: CallRoom, device: string): boolean => peer.manifest.devices.some(({ id }) => id === device)

/** A server can make up number and device. */
const isUnproved = ({ subject, other }: HeldCall): boolean => subject === 'transfer' && !other?.fingerprint

/** One commitment an attempt, or who stands between tries again. */
function requireNext(before: HeldCall, input: CallPlace & { callerDevice: string }, bound: Bytes): void {
  if (before.isCaller || !isSamePlace(before, input)) throw callOver()
  if (before.attempt > input.attempt && !isUnproved(before)) throw callOver()
  // Another browser of the receiver may take what its first has let go.
  if (before.subject === 'transfer' && before.attempt !== input.attempt) return
  if (before.other?.device !== input.callerDevice) throw callForged()
  if (before.attempt < input.attempt) return
  if (!sameBytes(before.other.bound, bound)) throw callForged()
  if (before.key || before.answers >= ANSWERS_MAX) throw callOver()
}

/**
 * Takes the first answer. Throws what `callRoom` throws, 'epoch' (ready the room, reject by it), 'call_forged', 'call_replayed' for a
 * second one.
 */
export async function acceptAnswer(live: Live, input: CallPlace & { calleeDevice: string; answer: string }): Promise<void> {
  const answer = readAnswer(input.answer)
  const room = await callRoom(live, input)
  const { group, peer } = room
  const call = requireCall(live, input)
  if (!call.isCaller || !isSamePlace(call, input)) throw callOver()
  if (call.other) throw callReplayed()
  const isHere = group && answer.epoch === String(epochOf(group)) && sameBytes(answer.groupId, groupIdOf(group))
  if (!isHere) throw new CryptoFailure('epoch', 'It belongs to another state of this chat')
  const isListed = lists(room, input.calleeDevice)
  const isOther = call.onlyDevice !== undefined && call.onlyDevice !== input.calleeDevice
  if (!isListed || isOther || input.calleeDevice === live.device.id || !sameBytes(peer.identityKey, call.accountKeys.other))
    throw callForged()
  call.other = { device: input.calleeDevice, bound: answer.bound, nonce: answer.nonce, fingerprint: undefined }
  call.epoch = epochIn(group)
  const { exporter } = call.epoch
  const key = await callKeyOf(exporter, call, [call.own.nonce, answer.nonce])
  erase(exporter)
  if (heldCall(live, call) !== call) {
    erase(key)
    throw callOver()
  }
  call.key = key
}

/** Throws 'call_over' before both fingerprints are proved. */
export async function callWords(live: Live, callId: string): Promise<string[]> {
  const call = heldCall(live, { callId })
  if (!call?.key || !call.other?.nonce || !call.other.fingerprint) throw callOver()
  const { own, key, accountKeys } = call
  const seed = await wordSeedOf({
    nonces: inOrder(call, own.nonce, call.other.nonce),
    callKey: key,
    accountKeys: inOrder(call, accountKeys.own, accountKeys.other),
    fingerprints: inOrder(call, own.fingerprint, call.other.fingerprint),
  })
  const { wordlist } = await loadPart(() => import('@scure/bip39/wordlists/english.js'))
  return wordsOf(seed, wordlist)
}

export async function dropCall(live: Live, callId: string, subject: CallSubject = 'call'): Promise<void> {
  endHeld(live, { callId, subject })
  if (subject === 'transfer') releaseTransfer(live, callId)
}

interface Beginning {
  fingerprint: Bytes
  room: CallRoom
  isCaller: boolean
  before: HeldCall | undefined
}

const begun = (
  live: Live,
  { subject = 'call', chatRoomId, peerId, callId, attempt }: CallPlace,
  { fingerprint, room, isCaller, before }: Beginning,
): HeldCall => ({
  ...{ subject, chatRoomId, peerId, callId, attempt, isCaller },
  own: { device: live.device.id, nonce: randomBytes(NONCE_BYTES), fingerprint },
  leafSeed: concat(live.device.leafSeed),
  accountKeys: { own: concat(live.identityKey), other: concat(room.peer.identityKey) },
  onlyDevice: (before && !isUnproved(before) ? before.other?.device : undefined) ?? before?.onlyDevice,
  ...{ other: undefined, epoch: undefined, key: undefined, answers: 0, sent: 0, heard: 0 },
  turn: Promise.resolve(),
})

const isSamePlace = (one: CallPlace, other: CallPlace): boolean =>
  one.chatRoomId === other.chatRoomId && one.peerId === other.peerId

const epochIn = (group: Group): CallEpoch => ({ groupId: groupIdOf(group), epoch: epochOf(group), exporter: exporterOf(group) })

function readAnswer(text: string): { groupId: Bytes; epoch: string; nonce: Bytes; bound: Bytes } {
  const [groupId, epoch, nonce, bound, ...more] = orForged(() => decodeFields(fromBase64(text)))
  if (!groupId || !epoch || nonce?.length !== NONCE_BYTES || bound?.length !== HASH_BYTES || more.length > 0) throw callForged()
  return { groupId, epoch: orForged(() => fromUtf8(epoch)), nonce, bound }
}
