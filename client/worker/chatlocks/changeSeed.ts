import { concat, toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { readBook } from '../lists/book.ts'
import { withOutbox } from '../messages/outbox.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, randomBytes } from '../primitives/seal.ts'
import { newSeed, sealSeeds } from './chatkeys.ts'
import { forgetTyped, heldOf, holdTyped, seedsOf, type Typed } from './heldLocks.ts'
import { changeLock, lockOf, noteProven } from './lockEntries.ts'
import { addRowKey } from './resealRows.ts'

const SECRET_BYTES = 32

/** Seals a new seed beside the old one. The page saves the book, then tells the server. */
export async function changeChatPassword(live: Live, typed: Typed): Promise<{ verifier: string; lockSecret: string }> {
  const { chatRoomId } = typed
  const seeds = seedsOf(live, chatRoomId)
  const salt = lockOf(await readBook(live), chatRoomId).data[1] ?? ''
  const taken = await holdTyped(live, typed, salt)
  const held = heldOf(live, chatRoomId)
  if (!held.root) throw new CryptoFailure('chat_lock', 'Enter the chat password again')
  const [{ seed, publicKey }, lockSecret] = [await newSeed(), randomBytes(SECRET_BYTES)]
  const next = [seed, ...seeds.map((one) => concat(one))].slice(0, LIMITS.chatLockSeedsMax)
  const sealed = await sealSeeds(live, chatRoomId, publicKey, { root: held.root, lockSecret }, next)
  await changeLock(live, chatRoomId, ({ data: [before = '', , beforeSealed = ''] }) => [
    before,
    salt,
    beforeSealed,
    sealed,
    publicKey,
  ])
  held.next = { lockSecret, seeds: next, publicKey, sealed }
  forgetTyped(held)
  return { ...taken, lockSecret: toBase64(lockSecret) }
}

/** Throws 'chat_lock' where another browser's change stands in the saved book: this seal would be missing. */
export async function requireOwnChange(live: Live, { chatRoomId }: { chatRoomId: string }): Promise<void> {
  const [held, row] = [heldOf(live, chatRoomId), await readBook(live)]
  if (held.next && !row.isDirty && lockOf(row, chatRoomId).data[3] === held.next.sealed) return
  if (held.next) erase(held.next.lockSecret, ...held.next.seeds)
  held.next = undefined
  throw new CryptoFailure('chat_lock', 'Another of your browsers was faster. This password was not taken')
}

/** Leaves the new seed alone in the book. The room stays open. */
export const chatPasswordChanged = (live: Live, { chatRoomId }: { chatRoomId: string }): Promise<void> =>
  inRoom(live, chatRoomId, () =>
    withOutbox(live, chatRoomId, async () => {
      const held = heldOf(live, chatRoomId)
      const own = held.next
      if (own) {
        if (held.open) erase(held.open.lockSecret, ...held.open.seeds)
        Object.assign(held, { open: own, next: undefined })
      }
      await changeLock(live, chatRoomId, ({ data: [before = '', salt = '', sealed = '', next, publicKey] }) => [
        own?.publicKey ?? publicKey ?? before,
        salt,
        own?.sealed ?? next ?? sealed,
      ])
      const entry = lockOf(await readBook(live), chatRoomId)
      await addRowKey(live, chatRoomId, entry, seedsOf(live, chatRoomId))
      await noteProven(live, chatRoomId, entry.data)
    }),
  )
