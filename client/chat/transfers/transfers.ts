import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { personIdOfDirect } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { showToast } from '../../ui/toast.ts'
import { otherName } from '../calls/callWords.ts'
import { reportBug } from '../calls/codeOf.ts'
import { nameOf } from '../files/fileWords.ts'
import { type Transfer, transferStore } from '../transferline/transferState.ts'
import type { TransferConsent } from '../transferline/transferVerbs.ts'
import { TOASTS } from '../transferline/transferWords.ts'
import { askConnection } from './askConnection.ts'
import { knowTransfer as know } from './knownTransfers.ts'
import { type LiveTransfer, liveTransfer, sendHere, show } from './liveTransfer.ts'
import { followSession, post, takeInHand } from './resumeTransfers.ts'
import { seekSender } from './transferAttempts.ts'
import { endTransfer } from './transferEnd.ts'
import { forgetTransfer, remember } from './transferMemory.ts'
import { type Act, holdTransfer, passOn, showTransfer } from './transferTabs.ts'

// What a person can do about a direct transfer. `transferState.ts` has what is shown.

const follow = (env: Env): void => followSession(env, (id, act) => void actOn(env, id, act).catch(reportBug))

/** A tab that shows a transfer also shows what another one does with it. */
export async function knowTransfer(...[env, said, row]: Parameters<typeof know>): Promise<void> {
  await know(env, said, row)
  follow(env)
}

/** A person presses it in another tab. */
export async function actOn(env: Env, transferId: string, act: Act): Promise<void> {
  if (act.kind === 'accept') await acceptTransfer(env, transferId, act.consent)
  else await pauseTransfer(env, transferId)
}

/**
 * Reads, hashes and keeps each file, registers the offer and sends its message. Throws ApiError, CryptoFailure ('file_read', 'quota'): files
 * that were offered before it have left `asked`. A file of 100 MiB or more and an empty one are left out by their toast; a folder is told apart where it is dropped.
 */
export async function offerFiles(env: Env, chatRoomId: string, files: File[]): Promise<void> {
  follow(env)
  for (const file of files) {
    if (isFitting(file)) await offer(env, chatRoomId, file)
    unask(chatRoomId, file)
  }
}

function isFitting(file: File): boolean {
  if (file.size > TRANSFER_LIMITS.fileBytes) showToast(TOASTS.tooLarge(file.name))
  else if (file.size === 0) showToast(TOASTS.empty(file.name))
  else return true
  return false
}

function unask(chatRoomId: string, file: File): void {
  transferStore.setState(({ asked }) =>
    asked?.chatRoomId === chatRoomId ? { asked: { ...asked, files: asked.files.filter((one) => one !== file) } } : {},
  )
}

/** Kept, registered, posted: the message goes out only when the server knows the transfer, and the file is here for whoever reads it. */
async function offer(env: Env, chatRoomId: string, file: File): Promise<void> {
  const room = roomById(chatRoomId)
  const peerId = room && personIdOfDirect(room)
  if (!room || !peerId) throw new ApiError(404, 'not_found', 'This chat is not here any more')
  const transferId = crypto.randomUUID()
  const name = nameOf(file.name) || 'Document'
  const at = env.clock().toISOString()
  const row = await env.crypto.keepOffer({ transferId, chatRoomId, file, name, mediaType: file.type, at })
  const letGo = (await holdTransfer(transferId)) ?? (() => undefined)
  try {
    await post(env, row)
  } catch (error) {
    letGo()
    forgetTransfer(transferId)
    await env.crypto.dropTransfer({ chatRoomId, transferId })
    throw error
  }
  await know(env, { content: row.content, chatRoomId, isMine: true, at }, row)
  takeInHand(env, row, letGo)
  // Asked now, or the other person would wait for the answer.
  const address = await askConnection(env, {})
  if ('refusal' in address) showTransfer(transferId, { refusal: address.refusal })
  showToast(TOASTS.offerSent(otherName(peerId), name))
}

const known = (transferId: string): Transfer | undefined => {
  const one = transferStore.getState().transfers.get(transferId)
  return one?.end === null && one.stage !== 'done' ? one : undefined
}

/** Takes and connects; also resumes, and tries again after a refusal. Throws ApiError, CryptoFailure. */
export async function acceptTransfer(env: Env, transferId: string, consent: TransferConsent = {}): Promise<void> {
  follow(env)
  const transfer = known(transferId)
  if (!transfer || accepting.has(transferId)) return
  accepting.add(transferId)
  try {
    const one = liveTransfer(transferId) ?? (await take(env, transferId, transfer, consent))
    if (!one) return
    one.consent = { ...one.consent, ...consent }
    const wasPaused = one.isPaused
    one.isPaused = false
    remember(transferId, { ...one.consent, isPaused: false })
    if (one.link?.isConnected()) {
      if (wasPaused) one.link.mover()?.onPause()
      return
    }
    show(one, { refusal: null })
    if (one.isMine) {
      const address = await askConnection(env, one.consent)
      if ('refusal' in address) return show(one, { refusal: address.refusal })
      if (transfer.stage !== 'offered') show(one, { stage: 'waiting' })
      sendHere(one)
    } else if (await hasRoom(transferId, transfer)) await seekSender(one)
  } finally {
    accepting.delete(transferId)
  }
  if (consent.allowsDirect && transfer.refusal === 'shows_address') await acceptOffered(env, transfer)
}

/** One answer counts for all that was offered to this person. */
async function acceptOffered(env: Env, { chatRoomId }: Transfer): Promise<void> {
  for (const [id, one] of transferStore.getState().transfers)
    if (one.chatRoomId === chatRoomId && one.isMine && one.refusal === 'shows_address') await acceptTransfer(env, id)
}

const accepting = new Set<string>()

/** undefined: the person is asked something, or another tab has it. */
async function take(
  env: Env,
  transferId: string,
  transfer: Transfer,
  consent: TransferConsent,
): Promise<LiveTransfer | undefined> {
  const { content, chatRoomId, isMine } = transfer
  if (isMine && !transfer.isHere) return undefined
  if (!isMine) {
    const address = await askConnection(env, consent)
    if ('refusal' in address) {
      showTransfer(transferId, { refusal: address.refusal })
      return undefined
    }
    if (!(await hasRoom(transferId, transfer))) return undefined
  }
  const letGo = await holdTransfer(transferId)
  if (!letGo) {
    passOn(transferId, { kind: 'accept', consent })
    return undefined
  }
  try {
    if (!isMine) {
      const { isKept } = await env.crypto.keepReceiving({ chatRoomId, content, at: env.clock().toISOString() })
      showTransfer(transferId, { isKept, isHere: true })
    }
  } catch (error) {
    letGo()
    throw error
  }
  return takeInHand(env, { content, chatRoomId, isMine }, letGo)
}

/** False is said. Browsers tell about what they let a site keep. */
async function hasRoom(transferId: string, { content, movedBytes }: Transfer): Promise<boolean> {
  const { quota, usage = 0 } = (await globalThis.navigator?.storage?.estimate?.().catch(() => undefined)) ?? {}
  const isEnough = quota === undefined || quota - usage >= content.sizeBytes - movedBytes
  if (!isEnough) showTransfer(transferId, { refusal: 'no_room' })
  return isEnough
}

export async function declineTransfer(env: Env, transferId: string): Promise<void> {
  if (known(transferId)) await endTransfer(env, transferId, 'declined')
}

export async function pauseTransfer(_env: Env, transferId: string): Promise<void> {
  const one = liveTransfer(transferId)
  if (!one) return passOn(transferId, { kind: 'pause' })
  if (!known(transferId) || one.isPaused) return
  one.isPaused = true
  remember(transferId, { isPaused: true })
  show(one, { stage: 'paused' })
  one.link?.mover()?.onPause()
}

export async function cancelTransfer(env: Env, transferId: string): Promise<void> {
  const transfer = known(transferId)
  if (!transfer) return
  liveTransfer(transferId)?.link?.mover()?.tellEnd('file-cancel')
  await endTransfer(env, transferId, 'cancelled')
}

export async function receivedFile(env: Env, transferId: string): Promise<Blob | undefined> {
  const one = transferStore.getState().transfers.get(transferId)
  return one && env.crypto.openTransfer({ chatRoomId: one.chatRoomId, transferId })
}
