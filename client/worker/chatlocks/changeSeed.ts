import { concat, toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { readBook } from '../lists/book.ts'
import { withOutbox } from '../messages/outbox.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, randomBytes } from '../primitives/seal.ts'
import { newSeed, sealSeeds } from './chatkeys.ts'
import { forgetTyped, heldOf, seedsOf, type Typed, take } from './heldLocks.ts'
import { changeLock, lockOf, noteProven } from './lockEntries.ts'
import { addRowKey, resealRows } from './resealRows.ts'

const SECRET_BYTES = 32

/** Seals a new seed beside the old one. The page saves the book, then tells the server. */
export async function changeChatPassword(live: Live, typed: Typed): Promise<{ verifier: string; lockSecret: string }> {
  const { chatRoomId } = typed
  const seeds = seedsOf(live, chatRoomId)
  const salt = lockOf(await readBook(live), chatRoomId).data[1] ?? ''
  const taken = await take(live, typed, salt)
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
  held.next = { lockSecret, seeds: next }
  forgetTyped(held)
  return { ...taken, lockSecret: toBase64(lockSecret) }
}

/** Leaves the new seed alone in the book. The room stays open. */
export const chatPasswordChanged = (live: Live, { chatRoomId }: { chatRoomId: string }): Promise<void> =>
  inRoom(live, chatRoomId, () =>
    withOutbox(live, chatRoomId, async () => {
      const held = heldOf(live, chatRoomId)
      if (held.next) {
        if (held.open) erase(held.open.lockSecret, ...held.open.seeds)
        Object.assign(held, { open: held.next, next: undefined })
      }
      await changeLock(live, chatRoomId, ({ data: [before = '', salt = '', sealed = '', next, publicKey] }) => [
        publicKey ?? before,
        salt,
        next ?? sealed,
      ])
      const entry = lockOf(await readBook(live), chatRoomId)
      await addRowKey(live, chatRoomId, entry, seedsOf(live, chatRoomId))
      await noteProven(live, chatRoomId, entry.data)
    }),
  )

/** The older row keys go. */
export const resealChat = (live: Live, { chatRoomId }: { chatRoomId: string }): Promise<void> => resealRows(live, chatRoomId)
