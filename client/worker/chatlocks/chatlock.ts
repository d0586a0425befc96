import { z } from 'zod'
import { fromBase64, sameBytes, toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { forgetDecoded, inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { readBook, withBook } from '../lists/book.ts'
import { isOn } from '../lists/chatlocks.ts'
import { loadHidden } from '../messages/acts.ts'
import { withOutbox } from '../messages/outbox.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { randomBytes } from '../primitives/seal.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { newSeed, openRowKeys, sealSeeds } from './chatkeys.ts'
import { followLock, putLock, wipeRoom } from './chatrows.ts'
import { forgetHeld, forgetTyped, heldOf, holdTyped, seedsOf, type Typed } from './heldLocks.ts'
import { entryOf, lockOf, lockWrite, noteProven, opensBy, provenOf } from './lockEntries.ts'
import { hasOlderKeys } from './resealRows.ts'

// The page calls the server between these verbs [Note: L1].

const SALT_BYTES = 16

const draftKey = (chatRoomId: string) => `chatlock:${chatRoomId}`

/** Returns the verifier; a retry uses the same salt. Throws 'chat_lock'. */
export async function newChatPassword(live: Live, typed: Typed): Promise<{ verifier: string }> {
  const { chatRoomId } = typed
  const row = await readBook(live)
  const entry = entryOf(row, chatRoomId)
  if (!row.isRead || row.newer) throw new CryptoFailure('book_unread', 'The address book could not be read')
  if (entry && isOn(entry)) throw new CryptoFailure('chat_lock', 'This chat has a password already')
  const draft = await live.vault.get('sealed', draftKey(chatRoomId))
  // The server may still have the removed lock.
  const off = entry?.kind === 'off' ? entry.data[0] : undefined
  const known = (await provenOf(live, chatRoomId))?.[1] ?? off
  const salt = draft ? jsonOf(z.string(), draft) : (known ?? toBase64(randomBytes(SALT_BYTES)))
  if (!draft) await live.vault.write([{ store: 'sealed', key: draftKey(chatRoomId), value: { json: salt } }])
  return holdTyped(live, typed, salt)
}

/** Writes the answered lock into the book. The page saves the book. */
export async function makeChatLock(
  live: Live,
  { chatRoomId, lockSecret }: { chatRoomId: string; lockSecret: string },
): Promise<void> {
  const held = heldOf(live, chatRoomId)
  const { root, salt } = held
  if (!root || salt === undefined) throw new CryptoFailure('chat_lock', 'Enter the chat password again')
  const { seed, publicKey } = await newSeed()
  const half = fromBase64(lockSecret)
  const proven = await opensBy(live, chatRoomId, await provenOf(live, chatRoomId), { root, lockSecret: half })
  await withBook(live, async () => {
    const row = await readBook(live)
    const before = entryOf(row, chatRoomId)
    if (before && isOn(before)) throw new CryptoFailure('chat_lock', 'This chat has a password already')
    // Browsers that slept have rows under earlier seeds.
    const off = before?.kind === 'off' ? before.data.slice(1).map(fromBase64) : []
    const earlier = [...(proven?.seeds ?? []), ...off].filter(isFirst)
    const seeds = [seed, ...earlier].slice(0, LIMITS.chatLockSeedsMax)
    const sealed = await sealSeeds(live, chatRoomId, publicKey, { root, lockSecret: half }, seeds)
    const lock = { kind: 'on', data: [publicKey, salt, sealed], gone: before?.gone ?? 0 }
    await live.vault.write([lockWrite(row, chatRoomId, lock), { store: 'sealed', key: draftKey(chatRoomId), value: null }])
    held.open = { lockSecret: half, seeds }
  })
  forgetTyped(held)
}

const isFirst = (seed: Uint8Array, at: number, all: Uint8Array[]): boolean =>
  !all.slice(0, at).some((other) => sameBytes(other, seed))

/** Returns the verifier. `hasOther`: the next call uses the other lock's salt. Throws 'chat_lock'. */
export async function typeChatPassword(live: Live, typed: Typed): Promise<{ verifier: string; hasOther: boolean }> {
  const { chatRoomId } = typed
  const [row, { [chatRoomId]: lock }] = [await readBook(live), await live.vault.locks()]
  const entry = entryOf(row, chatRoomId)
  const named = !lock?.proven || (lock.givenUpKeys && entry && isOn(entry)) ? lockOf(row, chatRoomId).data : undefined
  const salts = [...new Set([lock?.proven, named].flatMap((data) => (data ? [data[1] ?? ''] : [])))]
  const held = heldOf(live, chatRoomId)
  const at = held.typings ?? 0
  held.typings = at + 1
  return { ...(await holdTyped(live, typed, salts[at % salts.length] ?? '')), hasOther: salts.length > 1 }
}

/** Opens a lock by both halves. Throws 'chat_lock'. `isChanged`: the server took an interrupted change. */
export async function openChatLock(
  live: Live,
  { chatRoomId, lockSecret }: { chatRoomId: string; lockSecret: string },
): Promise<{ isChanged: boolean; hasOlderKeys: boolean }> {
  const { dropHidden } = await loadHidden()
  const held = heldOf(live, chatRoomId)
  const { root } = held
  if (!root) throw new CryptoFailure('chat_lock', 'Enter the chat password again')
  const halves = { root, lockSecret: fromBase64(lockSecret) }
  const row = await readBook(live)
  const [entry, proven] = [entryOf(row, chatRoomId), await provenOf(live, chatRoomId)]
  const named = entry && (isOn(entry) || !proven) ? lockOf(row, chatRoomId).data : undefined
  const opened = (await opensBy(live, chatRoomId, named, halves)) ?? (await opensBy(live, chatRoomId, proven, halves))
  if (!opened) throw new CryptoFailure('chat_lock', 'The server took this password, but it does not open the chat')
  if (opened.data !== named) await restoreLock(live, chatRoomId, opened.data)
  await openRows(live, chatRoomId, opened.seeds)
  // What was deleted for oneself meanwhile is never shown.
  await dropHidden(live)
  await noteProven(live, chatRoomId, opened.data)
  held.open = { lockSecret: halves.lockSecret, seeds: opened.seeds }
  forgetTyped(held)
  return { isChanged: opened.isChanged, hasOlderKeys: hasOlderKeys((await live.vault.locks())[chatRoomId]) }
}

/** A stolen browser has replaced the lock. */
const restoreLock = (live: Live, chatRoomId: string, data: string[]): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    const gone = entryOf(row, chatRoomId)?.gone ?? 0
    await live.vault.write([lockWrite(row, chatRoomId, { kind: 'on', data, gone })])
  })

async function openRows(live: Live, chatRoomId: string, seeds: Uint8Array[]): Promise<void> {
  await followLock(live, chatRoomId, true)
  await inRoom(live, chatRoomId, () => withOutbox(live, chatRoomId, () => wipeGivenUp(live, chatRoomId, seeds)))
  await followLock(live, chatRoomId, true)
  await inRoom(live, chatRoomId, async () => {
    const lock = (await live.vault.locks())[chatRoomId]
    if (!lock) throw new CryptoFailure('chat_lock', 'The lock of this chat has changed. Try again')
    live.vault.openRoom(chatRoomId, await openRowKeys(live, chatRoomId, lock.rowKeys, seeds))
  })
}

/** A lock keeps the seeds of those before it, except of history that was given up. */
async function wipeGivenUp(live: Live, chatRoomId: string, seeds: Uint8Array[]): Promise<void> {
  const held = (await live.vault.locks())[chatRoomId]
  if (!held?.givenUpKeys) return
  const { givenUpKeys, ...lock } = held
  const keys = await openRowKeys(live, chatRoomId, lock.rowKeys.slice(0, givenUpKeys), seeds)
  return keys.some(Boolean) ? putLock(live, chatRoomId, lock) : wipeRoom(live, chatRoomId)
}

/** Seals the rows of a new lock; leaves the room open. */
export async function holdChatLock(live: Live, { chatRoomId }: { chatRoomId: string }): Promise<void> {
  await openRows(live, chatRoomId, seedsOf(live, chatRoomId))
  await noteProven(live, chatRoomId, lockOf(await readBook(live), chatRoomId).data)
}

/** Forgets an open room's keys and texts. */
export async function shutChatLock(live: Live, { chatRoomId }: { chatRoomId: string }): Promise<void> {
  live.vault.openRoom(chatRoomId, null)
  forgetDecoded(live, chatRoomId)
  forgetHeld(live, chatRoomId)
}

/** Hands the seeds to all own browsers. The page saves the book. */
export const takeChatLockOff = (live: Live, { chatRoomId }: { chatRoomId: string }): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    const { data, ...entry } = lockOf(row, chatRoomId)
    const seeds = seedsOf(live, chatRoomId).slice(0, LIMITS.chatLockSeedsMax)
    const off = { ...entry, kind: 'off', data: [data[1] ?? '', ...seeds.map(toBase64)] }
    await live.vault.write([lockWrite(row, chatRoomId, off)])
  })

/** Takes out a claimed lock. The page saves the book. Throws 'chat_lock'. */
export const dropClaim = (live: Live, { chatRoomId }: { chatRoomId: string }): Promise<void> =>
  withBook(live, async () => {
    const [row, locks] = await Promise.all([readBook(live), live.vault.locks()])
    const entry = entryOf(row, chatRoomId)
    if (!entry || !locks[chatRoomId]?.isClaim)
      throw new CryptoFailure('chat_lock', 'The lock of this chat has changed. Try again')
    await live.vault.write([lockWrite(row, chatRoomId, { kind: 'off', data: [], gone: entry.gone })])
  })

/** Deletes the history up to `clearedSeq` here; other browsers follow the saved book. */
export async function giveChatUp(
  live: Live,
  { chatRoomId, clearedSeq }: { chatRoomId: string; clearedSeq: number },
): Promise<void> {
  await withBook(live, async () => {
    const row = await readBook(live)
    const clears = { ...row.book.clears, [chatRoomId]: Math.max(row.book.clears?.[chatRoomId] ?? 0, clearedSeq) }
    const gone = (entryOf(row, chatRoomId)?.n ?? 0) + 1
    const cleared = { ...row, book: { ...row.book, clears } }
    await live.vault.write([
      lockWrite(cleared, chatRoomId, { kind: 'gone', data: [], gone }),
      { store: 'sealed', key: draftKey(chatRoomId), value: null },
    ])
  })
  await inRoom(live, chatRoomId, () => withOutbox(live, chatRoomId, () => wipeRoom(live, chatRoomId)))
  await shutChatLock(live, { chatRoomId })
}
