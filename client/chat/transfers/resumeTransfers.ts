import { toldBytesOf } from '../../../contract/chat/transferlimits.ts'
import { transfersApi } from '../../../contract/chat/transfers.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { personIdOfDirect } from '../../rooms/list/room.ts'
import { isShut, isShutRow, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import type { TransferRow } from '../../worker/crypto.ts'
import { reportBug } from '../calls/codeOf.ts'
import { followNetwork } from '../calls/network.ts'
import { flush } from '../messages/send.ts'
import { transferStore } from '../transferline/transferState.ts'
import { knowTransfer, listedTransfer, listedTransfers, readListed, resetListed } from './knownTransfers.ts'
import { whenLeaving } from './leaving.ts'
import { type LiveTransfer, leaveTransfer, liveTransfer, liveTransfers, sendHere, setLive } from './liveTransfer.ts'
import { findAnotherWay, seekSender } from './transferAttempts.ts'
import { closeTransfer, endTransfer, tellWhole } from './transferEnd.ts'
import { forgetTransfer, remember, remembered, rememberedIds } from './transferMemory.ts'
import { type Act, followTabs, holdTransfer, isHeld } from './transferTabs.ts'

interface Following {
  stop: () => void
  /** Waits for a tab that has one in hand. */
  waiting: Map<string, AbortController>
}

let following: Following | undefined

/** By frames, tabs and networks. Set once a page, whatever is kept. */
export function followSession(env: Env, act: (id: string, what: Act) => void): void {
  if (following) return
  const stopTabs = followTabs({ has: (id) => liveTransfer(id) !== undefined, does: act })
  const stopHello = env.socket.on('hello', () => void comeBack(env).catch(reportBug))
  const stopNetwork = followNetwork(() => liveTransfers().forEach(findAnotherWay))
  following = {
    waiting: new Map(),
    stop() {
      stopTabs()
      stopHello()
      stopNetwork()
    },
  }
}

// What is kept stays.
whenLeaving(() => {
  for (const controller of following?.waiting.values() ?? []) controller.abort()
  following?.stop()
  following = undefined
  liveTransfers().forEach(leaveTransfer)
  resetListed()
  transferStore.setState(transferStore.getInitialState(), true)
})

/** Goes on with what is kept here: after a reload, in a chat that was unlocked, or where a tab with it has closed. */
export async function resumeTransfers(env: Env, rows: TransferRow[]): Promise<void> {
  await payOwed(env, rows)
  const isListed = await readListed(env)
  for (const row of rows) await resume(env, row, isListed)
  if (isListed) await endLost(env, rows)
}

async function resume(env: Env, row: TransferRow, isListed: boolean): Promise<void> {
  const { content, chatRoomId, isMine, at } = row
  const { transferId } = content
  const one = listedTransfer(transferId)
  await knowTransfer(env, { content, chatRoomId, isMine, at }, row)
  if (row.stage === 'done') return
  const end = one ? one.end : isListed ? 'expired' : null
  if (end !== null) return closeTransfer(env, transferId, end).then(() => env.crypto.dropTransfer({ chatRoomId, transferId }))
  const stage = transferStore.getState().transfers.get(transferId)?.stage
  if (stage === 'elsewhere') return env.crypto.dropTransfer({ chatRoomId, transferId })
  const live = liveTransfer(transferId)
  // A locked chat may have stopped it.
  if (live && stage === 'waiting') goOn(live)
  else void takeWhenFree(env, row).catch(reportBug)
}

/** The tab that has it in hand may close. */
async function takeWhenFree(env: Env, row: TransferRow): Promise<void> {
  const { transferId } = row.content
  if (!following || liveTransfer(transferId) || following.waiting.has(transferId)) return
  const { waiting } = following
  const controller = new AbortController()
  waiting.set(transferId, controller)
  const letGo = await holdTransfer(transferId, controller.signal)
  waiting.delete(transferId)
  const known = transferStore.getState().transfers.get(transferId)
  if (!letGo || !known || known.end !== null || known.stage === 'done') return letGo?.()
  const one = takeInHand(env, row, letGo)
  if (one) goOn(one)
}

/** undefined: its chat has gone. */
export function takeInHand(env: Env, { content, chatRoomId, isMine }: Kept, letGo: () => void): LiveTransfer | undefined {
  const room = roomById(chatRoomId)
  const peerId = room && personIdOfDirect(room)
  const { transferId } = content
  if (!peerId || liveTransfer(transferId)) {
    letGo()
    return liveTransfer(transferId)
  }
  following?.waiting.get(transferId)?.abort()
  const { attempt = 0, isPaused = false, allowsDirect = false, leavesTor = false } = remembered(transferId)
  const one: LiveTransfer = {
    ...{ env, transferId, chatRoomId, peerId, content, isMine, isPaused, letGo },
    // The receiver counts them, in whichever browser. A sender takes any.
    attempt: isMine ? 0 : Math.max(attempt, listedTransfer(transferId)?.attempt ?? 0),
    ...{ consent: { allowsDirect, leavesTor }, isRelayOnly: true, link: null, ring: null, epochTries: 0, tries: 0 },
    ...{ isPausedThere: false, hasConnected: false, isRelayUsedUp: false, timers: new Map() },
  }
  setLive(one)
  return one
}

type Kept = Pick<TransferRow, 'content' | 'chatRoomId' | 'isMine'>

function goOn(one: LiveTransfer): void {
  if (one.link?.isConnected()) return
  if (one.isMine) sendHere(one)
  else if (!one.isPaused && refusalOf(one) === null) void seekSender(one)
}

const refusalOf = ({ transferId }: LiveTransfer) => transferStore.getState().transfers.get(transferId)?.refusal ?? null

/** The socket is open again: an end may have been missed, and the other end waits. */
async function comeBack(env: Env): Promise<void> {
  if (transferStore.getState().transfers.size === 0) return
  const isListed = await readListed(env)
  for (const transferId of rememberedIds()) await tellWhole(env, transferId)
  for (const [id, { end }] of transferStore.getState().transfers) {
    const told = listedTransfer(id)?.end
    if (isListed && end === null && told) await closeTransfer(env, id, told)
  }
  for (const one of liveTransfers()) one.link?.isConnected() ? findAnotherWay(one) : goOn(one)
}

/** What a reload has come between. */
async function payOwed(env: Env, rows: TransferRow[]): Promise<void> {
  for (const transferId of rememberedIds()) {
    const row = rows.find(({ content }) => content.transferId === transferId)
    const { isMessageOwed, isEndOwed } = remembered(transferId)
    if (isEndOwed) await tellWhole(env, transferId)
    else if (isMessageOwed && row) await post(env, row).catch(ifAnswered)
    // A locked chat shows no rows.
    else if (!row && !isSomeShut()) forgetTransfer(transferId)
  }
}

const ifAnswered = (error: unknown): void => {
  if (!(error instanceof ApiError)) throw error
}

const isSomeShut = (): boolean => [...roomsStore.getState().rooms.values()].some(isShutRow)

/**
 * Registers, then puts the message into the outbox: nobody reads of a file that the server refuses. Both are harmless twice. Throws ApiError.
 */
export async function post(
  env: Env,
  { content, chatRoomId, at }: Pick<TransferRow, 'content' | 'chatRoomId' | 'at'>,
): Promise<void> {
  const { transferId, sizeBytes } = content
  const room = roomById(chatRoomId)
  const to = room && personIdOfDirect(room)
  if (!room || !to) return
  remember(transferId, { isMessageOwed: true })
  await env.api(transfersApi.offer, { transferId, to, bytes: toldBytesOf(sizeBytes) })
  // The server takes one message of an id.
  await env.crypto.keepInOutbox({ id: transferId, chatRoomId, content, replyToId: null, sentAt: at })
  remember(transferId, { isMessageOwed: false })
  void flush(env, room).catch(reportBug)
}

/** Offers of this browser whose file has gone, as with the tab of a private window. */
async function endLost(env: Env, rows: TransferRow[]): Promise<void> {
  const { deviceId } = await env.crypto.ownStanding()
  for (const { transferId, from, to, senderDevice, end } of listedTransfers()) {
    const room = roomById(directRoomId(from, to))
    const isHere = rows.some(({ content }) => content.transferId === transferId)
    if (senderDevice !== deviceId || end !== null || isHere || !room || isShut(room) || (await isHeld(transferId))) continue
    await endTransfer(env, transferId, 'cancelled').catch(ifAnswered)
  }
}
