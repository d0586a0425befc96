import type { TransferEndReason } from '../../../contract/chat/transferframes.ts'
import { transfersApi } from '../../../contract/chat/transfers.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { showToast } from '../../ui/toast.ts'
import { otherName } from '../calls/callWords.ts'
import { codeOf, reportBug } from '../calls/codeOf.ts'
import { type TransferRefusal, transferStore } from '../transferline/transferState.ts'
import { TOASTS } from '../transferline/transferWords.ts'
import { forget, isCurrent, type LiveTransfer, leaveTransfer, liveTransfer, show } from './liveTransfer.ts'
import { forgetTransfer, remember, remembered } from './transferMemory.ts'
import { showTransfer } from './transferTabs.ts'

const STILL = { bytesPerSecond: null, secondsLeft: null } as const

/** A file that was received whole stays. */
export async function closeTransfer(env: Env, transferId: string, end: TransferEndReason): Promise<void> {
  const one = liveTransfer(transferId)
  if (one) leaveTransfer(one)
  const known = transferStore.getState().transfers.get(transferId)
  // The server has heard of an end that is owed.
  forgetTransfer(transferId)
  await env.crypto.dropCall(transferId, 'transfer')
  if (!known || known.end !== null) return
  const { chatRoomId, isMine, stage, content, peerId } = known
  const isWhole = !isMine && stage === 'done'
  const ended = end === 'done' ? ('done' as const) : ('over' as const)
  showTransfer(transferId, { ...STILL, stage: ended, end, refusal: null, isHere: isWhole })
  await env.crypto.dropTransfer({ chatRoomId, transferId }).catch(reportBug)
  if (one && isMine && end === 'done') showToast(TOASTS.sent(otherName(peerId), content.name))
}

/** Throws ApiError: nothing has ended then. */
export async function endTransfer(env: Env, transferId: string, reason: ToldEnd): Promise<void> {
  await env.api(transfersApi.end, { transferId, reason })
  await closeTransfer(env, transferId, reason)
}

type ToldEnd = Exclude<TransferEndReason, 'expired' | 'removed'>

/** Ends what no person has ended. Where the server cannot be reached, the next attempt finds the same. */
export async function endByItself(one: LiveTransfer, reason: ToldEnd): Promise<void> {
  one.link?.close()
  showToast(TOASTS.interrupted)
  await endTransfer(one.env, one.transferId, reason).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    stopFor(one, 'failed')
  })
}

/** Everything is here, and equal by hash. */
export async function receiveWhole(one: LiveTransfer): Promise<void> {
  const { env, transferId, chatRoomId, attempt, content } = one
  try {
    await env.crypto.finishTransfer({ transferId, chatRoomId })
  } catch (error) {
    if (codeOf(error) !== 'file_hash') throw error
    return endByItself(one, 'forged')
  }
  if (!isCurrent(one, attempt)) return
  show(one, { ...STILL, stage: 'done', isHere: true, movedBytes: content.sizeBytes, refusal: null })
  showToast(TOASTS.received(content.name))
  remember(transferId, { isEndOwed: true })
  one.link?.close()
  await tellWhole(env, transferId)
}

/** Until the server has heard it, the next connection to it tries again. */
export async function tellWhole(env: Env, transferId: string): Promise<void> {
  if (!remembered(transferId).isEndOwed) return
  await endTransfer(env, transferId, 'done').catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'transfer_over' || error.code === 'not_found') return closeTransfer(env, transferId, 'done')
  })
}

/** Until the person decides, or the other browser is there anew. What is here stays. */
export function stopFor(one: LiveTransfer, refusal: TransferRefusal): void {
  one.link?.close()
  one.link = null
  forget(one, 'watch', 'again')
  show(one, { ...STILL, stage: 'waiting', refusal })
}

export function stopUnconnected(one: LiveTransfer): void {
  stopFor(one, one.isRelayUsedUp ? 'relay_limit' : 'failed')
  showToast(TOASTS.notConnected)
}
