import type { TransferContent } from '../../../contract/chat/content.ts'
import { chunksOf, TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { type ListedTransfer, transfersApi } from '../../../contract/chat/transfers.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { personIdOfDirect } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { showToast } from '../../ui/toast.ts'
import type { TransferRow } from '../../worker/crypto.ts'
import { otherName } from '../calls/callWords.ts'
import { nameOf } from '../files/fileWords.ts'
import { type Transfer, transferStore } from '../transferline/transferState.ts'
import { TOASTS } from '../transferline/transferWords.ts'
import { remembered } from './transferMemory.ts'
import { putTransfer } from './transferTabs.ts'

// What the server lists, what this browser keeps, and what a message says, put together.

let listed: ReadonlyMap<string, ListedTransfer> = new Map()
let listing: Promise<boolean> | undefined
/** ms since 1970. */
let listedAt = 0
/** A page that scrolls past many transfers asks once. */
const FRESH_MS = 10_000

export const listedTransfer = (id: string): ListedTransfer | undefined => listed.get(id)

export const listedTransfers = (): ListedTransfer[] => [...listed.values()]

export const resetListed = (): void => {
  listed = new Map()
  listedAt = 0
}

/** False: the server is out of reach. */
export function readListed(env: Env): Promise<boolean> {
  listing ??= env
    .api(transfersApi.list, {})
    .then((list) => {
      listed = new Map(list.map((one) => [one.transferId, one]))
      listedAt = env.clock().getTime()
      return true
    })
    .catch((error: unknown) => {
      if (error instanceof ApiError) return false
      throw error
    })
    .finally(() => {
      listing = undefined
    })
  return listing
}

const ownDevice = async (env: Env): Promise<string> => (await env.crypto.ownStanding()).deviceId

/** Cleans the name: what opens and saves the file shows this one. */
const cleaned = (content: TransferContent): TransferContent => ({ ...content, name: nameOf(content.name) })

interface Said {
  chatRoomId: string
  content: TransferContent
  isMine: boolean
  /** ISO 8601. */
  at: string
}

const isOld = (env: Env, at: string): boolean => env.clock().getTime() - Date.parse(at) > TRANSFER_LIMITS.offerSeconds * 1000

/** An older one was told by the list of chats. */
const NEW_MS = 60_000

/** Puts it where the screens look. Keeps what is known of it already. */
export async function knowTransfer(env: Env, said: Said, row?: TransferRow): Promise<void> {
  const { transferId } = said.content
  if (transferStore.getState().transfers.has(transferId)) return
  const isFresh = env.clock().getTime() - listedAt < FRESH_MS
  const isListed = isFresh || listed.has(transferId) || (await readListed(env))
  const room = roomById(said.chatRoomId)
  const peerId = room && personIdOfDirect(room)
  // Another line of it may have come first.
  if (!peerId || transferStore.getState().transfers.has(transferId)) return
  const device = await ownDevice(env)
  const known = stateOf(env, { said, row, peerId, device, isListed })
  putTransfer(transferId, known)
  const isNew = !said.isMine && known.stage === 'offered' && env.clock().getTime() - Date.parse(said.at) < NEW_MS
  if (isNew) showToast(TOASTS.incoming(otherName(peerId), known.content.name, known.content.sizeBytes))
}

interface Known {
  said: Said
  row: TransferRow | undefined
  peerId: string
  device: string
  isListed: boolean
}

function stateOf(env: Env, { said, row, peerId, device, isListed }: Known): Transfer {
  const { content, chatRoomId, isMine } = said
  const one = listed.get(content.transferId)
  const isWhole = row?.stage === 'done'
  // A sender's row has every chunk.
  const have = isMine ? 0 : (row?.have ?? 0)
  const end = one?.end ?? (isListed && !one && isOld(env, said.at) ? 'expired' : null)
  return {
    ...{ content: cleaned(content), chatRoomId, peerId, isMine, isKept: row?.isKept ?? true },
    isHere: row !== undefined && (end === null || isWhole),
    ...{ stage: stageOf({ one, row, end, device, isMine }), end: isWhole ? 'done' : end },
    movedBytes: isWhole ? content.sizeBytes : Math.min(content.sizeBytes, have * bytesPerChunk(content)),
    ...{ bytesPerSecond: null, secondsLeft: null, isRelayed: null, refusal: null },
  }
}

const bytesPerChunk = ({ sizeBytes }: TransferContent): number => Math.ceil(sizeBytes / chunksOf(sizeBytes))

interface Standing {
  one: ListedTransfer | undefined
  row: TransferRow | undefined
  end: Transfer['end']
  device: string
  isMine: boolean
}

function stageOf({ one, row, end, device, isMine }: Standing): Transfer['stage'] {
  if (row?.stage === 'done' || end === 'done') return 'done'
  if (end !== null) return 'over'
  const inHand = isMine ? one?.senderDevice : one?.receiverDevice
  if (inHand && inHand !== device) return 'elsewhere'
  if (!isMine && row === undefined) return 'offered'
  if (row && remembered(row.content.transferId).isPaused) return 'paused'
  return isMine && !one?.receiverDevice ? 'offered' : 'waiting'
}
