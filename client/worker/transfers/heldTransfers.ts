import type { Bytes } from '../../../contract/ground/bytes.ts'
import { callOver, type HeldCall, heldCall, requireCall } from '../keys/heldCalls.ts'
import type { Live } from '../keys/live.ts'
import { readFile, WAITING } from '../vault/disk.ts'
import { rowKey, type TransferName, waitingFile } from '../vault/waitingFiles.ts'
import type { FileDigest } from './fileDigest.ts'
import { fileAbsent, isStale, type KeptRow, keptRow, nameOf } from './keptTransfers.ts'
import { chunkSeal, type PieceSeal, rowSeal } from './sealedPieces.ts'

/** Outlives the lock of its chat [Note: M11]. */
export interface HeldTransfer {
  row: KeptRow
  /** False: it ends with the tab. */
  isKept: boolean
  seal: PieceSeal
  /** The sender's file, where nothing can be kept. */
  source?: { file: Blob; hashes: Bytes[] }
  /** The sender's sealed copy: looked up once, not for each batch. */
  copy?: Blob
  /** 1 for each chunk that is here. */
  has?: Uint8Array
  /** `next` is the first chunk that is not in the digest. */
  running?: { digest: FileDigest; next: number } | undefined
  noted: number
  turn: Promise<unknown>
}

const memory = new WeakMap<Live, Map<string, HeldTransfer>>()
const heldBy = (live: Live): Map<string, HeldTransfer> => {
  const known = memory.get(live) ?? new Map<string, HeldTransfer>()
  memory.set(live, known)
  return known
}

export async function holdTransfer(live: Live, row: KeptRow, more: Partial<HeldTransfer> = {}): Promise<HeldTransfer> {
  const held = { row, isKept: true, seal: await rowSeal(row), noted: row.have, turn: Promise.resolve(), ...more }
  heldBy(live).set(rowKey(nameOf(row)), held)
  return held
}

export const heldTransfer = (live: Live, name: TransferName): HeldTransfer | undefined => heldBy(live).get(rowKey(name))
export const forgetTransfer = (live: Live, name: TransferName): boolean => heldBy(live).delete(rowKey(name))
export const unkeptTransfers = (live: Live): HeldTransfer[] => [...heldBy(live).values()].filter(({ isKept }) => !isKept)

/** Keeps what only this tab has. */
export function releaseTransfer(live: Live, transferId: string): void {
  for (const [key, { row, isKept }] of heldBy(live)) if (isKept && row.content.transferId === transferId) heldBy(live).delete(key)
}

/** Throws 'file_absent', 'room_locked'. */
export async function requireTransfer(live: Live, name: TransferName): Promise<HeldTransfer> {
  const held = heldTransfer(live, name)
  if (held && heldCall(live, { subject: 'transfer', callId: name.transferId })?.chatRoomId === name.chatRoomId) return held
  if (held && !held.isKept && (await live.vault.isOpen(name.chatRoomId))) return held
  const row = await keptRow(live, name)
  if (!row || isStale(row)) throw fileAbsent()
  return heldTransfer(live, name) ?? holdTransfer(live, row)
}

/** Throws 'file_absent', 'room_locked'. */
export async function requireOffer(live: Live, { chatRoomId, callId }: { chatRoomId: string; callId: string }): Promise<void> {
  const { row } = await requireTransfer(live, { chatRoomId, transferId: callId })
  if (!row.isMine || isStale(row)) throw fileAbsent()
}

export interface Attempt {
  transferId: string
  attempt: number
}

const seals = new WeakMap<HeldCall, Promise<PieceSeal>>()

/** Throws 'call_over' before both certificates are proved, 'file_absent'. */
export async function requireAttempt(
  live: Live,
  { transferId, attempt }: Attempt,
  side: 'sender' | 'receiver',
): Promise<{ held: HeldTransfer; seal: PieceSeal }> {
  const call = requireCall(live, { subject: 'transfer', callId: transferId, attempt })
  const { key, own, other, isCaller } = call
  if (!key || !other?.fingerprint || isCaller !== (side === 'receiver')) throw callOver()
  const held = await requireTransfer(live, { chatRoomId: call.chatRoomId, transferId })
  if (held.row.isMine !== (side === 'sender')) throw fileAbsent()
  // An ended attempt has an erased key.
  requireCall(live, call)
  const sealing = seals.get(call) ?? chunkSeal(key, (isCaller ? other : own).device, held.row.content)
  seals.set(call, sealing)
  return { held, seal: await sealing }
}

export const waitingPlace = ({ userId }: Live, name: TransferName): [string, string, string] => [
  userId,
  WAITING,
  waitingFile(name),
]

export const waitingBlob = (live: Live, name: TransferName): Promise<Blob | undefined> => readFile(...waitingPlace(live, name))
