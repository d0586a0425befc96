import { createStore } from 'zustand/vanilla'
import type { TransferContent } from '../../../contract/chat/content.ts'
import type { TransferEndReason } from '../../../contract/chat/transferframes.ts'

/**
 * `waiting`: the other browser is not there. `paused`: by this person. `done`: whole, and equal by hash. `elsewhere`: in another browser of
 * this account. `over`: `end` says why.
 */
export type TransferStage = 'offered' | 'waiting' | 'connecting' | 'moving' | 'paused' | 'done' | 'elsewhere' | 'over'

/**
 * Why this browser waits for the person: the first four as for calls; `unsupported`: it has no WebRTC; `relay_limit`: the day's gigabyte is
 * used up.
 */
export type TransferRefusal =
  | 'no_relay'
  | 'shows_address'
  | 'leaves_tor'
  | 'tor_required'
  | 'unsupported'
  | 'relay_limit'
  | 'no_room'
  | 'failed'

export interface Transfer {
  content: TransferContent
  chatRoomId: string
  peerId: string
  isMine: boolean
  /** The file, or its pieces, lie in this browser. */
  isHere: boolean
  /** False: it ends with this tab. */
  isKept: boolean
  stage: TransferStage
  movedBytes: number
  /** null while nothing moves. */
  bytesPerSecond: number | null
  secondsLeft: number | null
  /** null before it has connected. */
  isRelayed: boolean | null
  /** The other person has paused it. */
  isPausedThere?: boolean
  refusal: TransferRefusal | null
  end: TransferEndReason | null
}

interface Transfers {
  /** By transferId: those that this page knows of, offered in the last day or kept here. */
  transfers: ReadonlyMap<string, Transfer>
  /** The chat whose dialog is open, with files that were chosen for it. */
  asked: { chatRoomId: string; files: File[] } | null
}

export const transferStore = createStore<Transfers>(() => ({ transfers: new Map(), asked: null }))

export const askTransfer = (chatRoomId: string, files: File[] = []): void =>
  transferStore.setState({ asked: { chatRoomId, files } })

export const endTransferAsk = (): void => transferStore.setState({ asked: null })

export function changeTransfer(id: string, to: Partial<Transfer>): void {
  transferStore.setState(({ transfers }) => {
    const before = transfers.get(id)
    return before ? { transfers: new Map(transfers).set(id, { ...before, ...to }) } : {}
  })
}

/** What came directly into these chats was deleted from this browser. */
export function forgetReceived(chatRoomIds: string[]): void {
  for (const [id, { chatRoomId, stage, isMine }] of transferStore.getState().transfers)
    if (chatRoomIds.includes(chatRoomId) && stage === 'done' && !isMine) changeTransfer(id, { isHere: false })
}
