import type { User } from '../../../contract/account/account.ts'
import type { Env } from '../../env.ts'
import { keptMemory } from '../../net/seen.ts'
import { registerWorker } from '../../net/workers.ts'
import { draftsStore, keepDraft } from '../../rooms/list/drafts.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { isClosed } from '../../worker/crypto.ts'
import { closeAccount } from '../account/account.ts'

export const WIPED =
  'This browser’s data was deleted by the server or by you: its keys, and what was not sent. If you did not do it, ask the operator of this server in another way. Sign in again to add this browser to your account. It still refuses older device lists and address books than it knew.'

/** In memory alone, by account. */
const typed = new Map<string, [chatRoomId: string, text: string][]>()

/** Writes again what memory has of a deleted vault [Note: V4]; what was typed waits for a sign-in. */
export async function watchWiped(env: Env, { id, username }: User, onClosed: () => void): Promise<void> {
  const wiped = env.crypto.untilWiped(username)
  const worker = globalThis.navigator?.serviceWorker
  const seen = (await worker?.getRegistration()) && (await keptMemory.read())
  await keepTyped(env, id)
  await wiped
  typed.set(id, freeDrafts())
  await closeAccount(env, WIPED)
  onClosed()
  if (!seen) return
  await keptMemory.write(seen)
  await registerWorker()
}

const freeDrafts = () => [...draftsStore.getState().drafts].filter(([chatRoomId]) => roomById(chatRoomId)?.lock === 'none')

async function keepTyped(env: Env, userId: string): Promise<void> {
  const before = typed.get(userId) ?? []
  typed.delete(userId)
  for (const [chatRoomId, text] of before)
    await keepDraft(env, chatRoomId, text).catch((error: unknown) => {
      if (!isClosed(error)) throw error
    })
}
