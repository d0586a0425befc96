import type { z } from 'zod'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import type { Env } from '../../env.ts'
import { orderFor } from '../../me/account/signedOrder.ts'
import { ApiError, isRefused } from '../../net/api.ts'
import { inTurn } from '../../net/inTurn.ts'
import { fetchRooms } from '../../rooms/list/loadRooms.ts'
import { type DirectRow, roomById } from '../../rooms/list/roomList.ts'
import { followLocks, showLocks } from '../../rooms/list/roomLocks.ts'
import { renewEpoch } from '../../rooms/log/readyRoom.ts'
import { writePages } from '../../rooms/log/writePages.ts'
import { saveBook } from '../../rooms/trust/book.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { syncRoom } from '../messages/receive.ts'
import { keepOpen, lockChat } from './relock.ts'

type Place = Pick<DirectRow, 'id' | 'direct'>

/**
 * Sets the password of a chat: the server's verifier, the book, the rows of this browser, the archive pages [Note: L1]. The room is
 * shut at the end. Where setting or removing was interrupted, the same password finishes it. Throws ApiError or CryptoFailure; what was
 * not done is done by the next call, or by the next sync.
 */
export async function setChatPassword(env: Env, { id, direct }: Place, password: string): Promise<void> {
  const { verifier } = await env.crypto.newChatPassword({ chatRoomId: id, password })
  const lockSecret = await secretOf(env, direct.contactId, verifier)
  await env.crypto.makeChatLock({ chatRoomId: id, lockSecret })
  await saveBook(env)
  await env.crypto.holdChatLock({ chatRoomId: id })
  await untilRefused(() => writePages(env, { id }))
  await lockChat(env, { id, direct })
  await fetchRooms(env, [id])
}

async function secretOf(env: Env, contactId: string, verifier: string): Promise<string> {
  try {
    return (await env.api(chatLocksApi.set, { contactId, password: verifier, confirmPassword: verifier })).lockSecret
  } catch (error) {
    if (!isRefused(error, 'has_chat_password')) throw error
  }
  const { lockSecret } = await env.api(chatLocksApi.verify, { contactId, password: verifier })
  if (lockSecret !== null) return lockSecret
  throw new CryptoFailure('chat_lock', 'Setting was interrupted. Enter the password that you chose then')
}

/**
 * Opens a chat that another browser of the account has locked, where the server knows no password of it [Note: L1]. Returns the id of the
 * device whose address book brought the lock, if it is known. The account's keys must have been opened by a way in. Throws ApiError or
 * CryptoFailure('room_locked' if the server knows a password by now).
 */
export async function openClaimed(env: Env, { id }: Pick<Place, 'id'>): Promise<string | undefined> {
  // The book may have come before the row that says so: dropping the entry would take a real lock off.
  await fetchRooms(env, [id])
  if (roomById(id)?.isPasswordProtected) {
    await followLocks(env)
    throw new CryptoFailure('room_locked', 'This chat has a password. Enter it')
  }
  const { claimedBy } = await env.crypto.chatLocks()
  await env.crypto.dropChatLock({ chatRoomId: id })
  await saveBook(env)
  await followLocks(env)
  const room = roomById(id)
  if (room) await syncRoom(env, room)
  return claimedBy[id]
}

/** What became of a chat password: of a wrong one, how many may follow before a wait, and the wait that has begun. */
export type Tried = Omit<z.output<typeof chatLocksApi.verify.output>, 'lockSecret'>

/**
 * Opens a locked chat, and brings it up to date; not where the password is wrong. Throws ApiError, 429 during a wait, or
 * CryptoFailure('chat_lock') if the server takes the password and it opens nothing.
 */
export async function unlockChat(env: Env, { id, direct }: Place, password: string): Promise<Tried> {
  let typed = await typePassword(env, { id, direct }, password)
  const isOtherDue = !typed.opened && typed.hasOther && typed.tried.waitSeconds === 0
  if (isOtherDue) typed = await typePassword(env, { id, direct }, password)
  const { tried, opened } = typed
  if (!opened) return { ...tried, valid: false }
  await showLocks(env)
  keepOpen(env, { id, direct })
  await untilRefused(async () => {
    if (opened.isChanged) await finishChange(env, id)
    await fetchRooms(env, [id])
    await writePages(env, { id })
    const room = roomById(id)
    if (room) await syncRoom(env, room)
    if (opened.isChanged || opened.hasOlderKeys) await leaveSeeds(env, id)
  })
  return tried
}

/** The password holds already; the next unlocking does what is left. */
async function untilRefused(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

async function typePassword(env: Env, { id, direct }: Place, password: string) {
  const { verifier, hasOther } = await env.crypto.typeChatPassword({ chatRoomId: id, password })
  // No row that was read before the server opens the chat is taken for one of after it.
  return inTurn(env, 'list', async () => {
    const { lockSecret, ...tried } = await env.api(chatLocksApi.verify, { contactId: direct.contactId, password: verifier })
    const isRight = tried.valid && lockSecret !== null
    const opened = isRight ? await env.crypto.openChatLock({ chatRoomId: id, lockSecret }) : undefined
    return { tried, opened, hasOther }
  })
}

/**
 * Changes the password of an open chat: a new lock, and nothing that the old one opens opens what follows [Note: L1]. The book has both for as
 * long as the server decides, so that an interruption leaves the one or the other. Throws ApiError ('has_chat_password' if it was not
 * entered within the last minutes: then nothing has changed) or CryptoFailure ('chat_lock' if another browser was faster).
 */
export async function changeChatPassword(env: Env, { id, direct }: Place, password: string): Promise<void> {
  const { verifier, lockSecret } = await env.crypto.changeChatPassword({ chatRoomId: id, password })
  await saveBook(env)
  await env.crypto.requireOwnChange({ chatRoomId: id })
  const { contactId } = direct
  await env.api(chatLocksApi.set, { contactId, password: verifier, confirmPassword: verifier, lockSecret })
  await untilRefused(async () => {
    await finishChange(env, id)
    await leaveSeeds(env, id)
  })
}

/** The pages, the running epoch, and the rows of before. The last of them says that it was done. */
async function leaveSeeds(env: Env, chatRoomId: string): Promise<void> {
  await writePages(env, { id: chatRoomId })
  const room = roomById(chatRoomId)
  if (room) await renewEpoch(env, room)
  await env.crypto.resealChat({ chatRoomId })
}

async function finishChange(env: Env, chatRoomId: string): Promise<void> {
  await env.crypto.chatPasswordChanged({ chatRoomId })
  await saveBook(env)
}

/**
 * Removes the password of an open chat: the archive pages, the book, the server's verifier, then the rows of this browser. Throws ApiError
 * ('chat_password_required' if it was not entered within the last minutes) or CryptoFailure.
 */
export async function removeChatPassword(env: Env, { id, direct }: Place): Promise<void> {
  await writePages(env, { id })
  await writePages(env, { id }, true)
  await env.crypto.takeChatLockOff({ chatRoomId: id })
  await saveBook(env)
  await env.api(chatLocksApi.remove, { contactId: direct.contactId })
  // The row first: one that still has the password, without a lock here, looks like an interrupted setting.
  await fetchRooms(env, [id])
  await followLocks(env)
  await env.crypto.shutChatLock({ chatRoomId: id })
}

/**
 * Gives up the history of a chat whose password is forgotten, on all browsers and at the server. The account's keys must have been opened
 * by a way in [Note: D5]. Throws ApiError or CryptoFailure.
 */
export async function giveUpHistory(env: Env, { id, direct }: Place): Promise<void> {
  const fields = { chatRoomId: id }
  const order = await orderFor(env, 'give up chat history', fields)
  const { clearedSeq } = await env.api(chatLocksApi.giveUp, { contactId: direct.contactId, ...fields, order })
  await env.crypto.giveChatUp({ chatRoomId: id, clearedSeq })
  await saveBook(env)
  await fetchRooms(env, [id])
  await showLocks(env)
  const room = roomById(id)
  if (room) await renewEpoch(env, room)
}
