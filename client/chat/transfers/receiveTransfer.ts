import type { FrameOf, ServerData } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'
import type { TransferRow } from '../../worker/crypto.ts'
import { torRefusal } from '../calls/address.ts'
import { reportBug } from '../calls/codeOf.ts'
import { transferStore } from '../transferline/transferState.ts'
import { listedTransfer, readListed } from './knownTransfers.ts'
import { afterwards, isLive, type LiveTransfer, leaveTransfer, liveTransfer, show } from './liveTransfer.ts'
import { followSession, resumeTransfers } from './resumeTransfers.ts'
import { answerAnew, takeAccept, takeAnswer } from './transferAnswers.ts'
import { seekSender, tryAgain, waitForOther, waitUntilAble } from './transferAttempts.ts'
import { closeTransfer, stopFor, stopUnconnected } from './transferEnd.ts'
import { actOn } from './transfers.ts'
import { showTransfer } from './transferTabs.ts'

export type TransferFrame = FrameOf<
  | 'transfer-accept'
  | 'transfer-answer'
  | 'transfer-signal'
  | 'transfer-reject'
  | 'transfer-here'
  | 'transfer-success'
  | 'transfer-changed'
>

/** A page that has just begun hears an accept before it knows what it keeps. */
let beginning: Promise<void> = Promise.resolve()

export function beginTransfers(env: Env, rows: TransferRow[]): Promise<void> {
  followSession(env, (id, act) => void actOn(env, id, act).catch(reportBug))
  const work = () => resumeTransfers(env, rows)
  const begun = beginning.then(work, work)
  beginning = begun.catch(() => undefined)
  return begun
}

export async function receiveTransfer(env: Env, frame: TransferFrame): Promise<void> {
  if (frame.type === 'transfer-changed') return onChanged(env, frame.data)
  if (frame.type === 'transfer-accept') await beginning
  const one = liveTransfer(frame.data.transferId)
  // Another tab's, or one that is over.
  if (!one) return
  if (frame.type === 'transfer-success') return one.isMine || frame.data.isThere ? undefined : waitForOther(one)
  if (frame.data.from !== one.peerId) return
  if (frame.type === 'transfer-accept') {
    const { attempt, device, signal } = frame.data
    return takeAccept(one, { attempt, device, commit: signal })
  }
  if (frame.type === 'transfer-here') return onHere(one)
  if (frame.type === 'transfer-reject') return onReject(one, frame.data)
  if (frame.data.attempt !== one.attempt) return
  if (frame.type === 'transfer-answer') return takeAnswer(one, frame.data)
  one.link?.takeSignal(frame.data.signal)
}

/** A page that begins says it once; a lying one would have this one connect without a pause. */
const HERE_MS = 1000

/** The sender's page is there anew: a connection that still seems to stand leads nowhere. */
async function onHere(one: LiveTransfer): Promise<void> {
  if (one.isMine || one.isPaused || one.timers.has('here') || !mayConnect(one)) return
  afterwards(one, 'here', HERE_MS, () => undefined)
  await seekSender(one)
}

/** What only the person answers is still asked. */
function mayConnect({ transferId }: LiveTransfer): boolean {
  const { refusal, stage } = transferStore.getState().transfers.get(transferId) ?? {}
  return stage !== 'done' && (refusal == null || refusal === 'failed')
}

async function onReject(one: LiveTransfer, { reason, attempt }: ServerData['transfer-reject']): Promise<void> {
  if (attempt !== one.attempt) return
  if (reason === 'epoch') return answerAnew(one)
  if (one.isMine || one.isPaused || isStopped(one)) return
  if (reason === 'failed') waitUntilAble(one)
  else tryAgain(one)
}

function isStopped({ transferId }: LiveTransfer): boolean {
  const { refusal, stage } = transferStore.getState().transfers.get(transferId) ?? {}
  return stage === 'done' || refusal != null
}

async function onChanged(env: Env, { transferId, device, end }: ServerData['transfer-changed']): Promise<void> {
  const known = transferStore.getState().transfers.get(transferId)
  if (end !== null) return closeTransfer(env, transferId, end)
  if (!known || known.isMine || known.end !== null || device === null) return
  const { deviceId } = await env.crypto.ownStanding()
  if (device !== deviceId) await leaveElsewhere(env, transferId)
}

/** Another browser of this account has accepted. */
async function leaveElsewhere(env: Env, transferId: string): Promise<void> {
  const one = liveTransfer(transferId)
  if (one) leaveTransfer(one)
  const known = transferStore.getState().transfers.get(transferId)
  if (!known || known.stage === 'done') return
  showTransfer(transferId, { stage: 'elsewhere', isHere: false, movedBytes: 0, refusal: null })
  await env.crypto.dropTransfer({ chatRoomId: known.chatRoomId, transferId })
}

const LATER = ['too_many_requests', 'busy']

export function refuseTransfer({ id, code }: ServerData['refused']): void {
  const one = id === null ? undefined : liveTransfer(id)
  if (!one || !isLive(one)) return
  if (code === 'transfer_over') void endAsListed(one).catch(reportBug)
  else if (code === 'transfer_elsewhere') void leaveElsewhere(one.env, one.transferId).catch(reportBug)
  else if (code === 'transfer_leaves_tor') stopFor(one, torRefusal({}) ?? 'leaves_tor')
  else if (code === 'relay_limit_reached') stopFor(one, 'relay_limit')
  // Its frame is lost, and the watch makes another attempt.
  else if (!LATER.includes(code)) one.isMine ? show(one, { stage: 'waiting' }) : stopUnconnected(one)
}

async function endAsListed({ env, transferId }: LiveTransfer): Promise<void> {
  if (!(await readListed(env))) return
  const listed = listedTransfer(transferId)
  if (listed?.end !== null) await closeTransfer(env, transferId, listed?.end ?? 'expired')
}
