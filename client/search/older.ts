import type { Contact } from '../../contract/contacts.ts'
import { CryptoFailure } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { loadOlderPage } from '../rooms/rooms.ts'
import { failureWords } from '../ui/failure.ts'
import { searchStore } from './store.ts'

let running = 0

/** Fetches all older messages of these rooms, one room after another, so that a search reaches them. Ends early when it is stopped. */
export async function loadAllOlder(env: Env, contacts: Contact[]): Promise<void> {
  running += 1
  const mine = running
  const isStopped = () => mine !== running
  searchStore.setState({ older: { done: 0, total: contacts.length }, olderFailure: null })
  try {
    for (const [done, contact] of contacts.entries()) {
      if (isStopped()) return
      searchStore.setState({ older: { done, total: contacts.length } })
      if (await loadRoom(env, contact, isStopped)) noteLoaded(contact.chatRoomId)
    }
    if (!isStopped()) searchStore.setState({ older: null })
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof CryptoFailure)) throw error
    if (!isStopped()) searchStore.setState({ older: null, olderFailure: failureWords(error) })
  }
}

const noteLoaded = (chatRoomId: string) =>
  searchStore.setState(({ unloaded }) => ({ unloaded: unloaded.filter((one) => one !== chatRoomId) }))

/** Whether the room is here as a whole. */
async function loadRoom(env: Env, contact: Contact, isStopped: () => boolean): Promise<boolean> {
  const start = async () => (await env.crypto.page({ chatRoomId: contact.chatRoomId, limit: 1 })).from
  let from = await start()
  while (from > 1 && !isStopped()) {
    await loadOlderPage(env, contact, from)
    const next = await start()
    // A server that sends the same page again would keep this going for ever.
    if (next >= from) return false
    from = next
  }
  return from <= 1
}

/** What has come stays; the rest is not fetched. */
export function stopOlder(): void {
  running += 1
  searchStore.setState({ older: null })
}
