import { createStore } from 'zustand/vanilla'
import type { Env } from '../../env.ts'
import { personIdOfDirect } from '../../rooms/list/room.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { saveBook } from '../../rooms/trust/book.ts'

interface Vanished {
  userId: string
  /** The pinned name, in lower case. */
  username: string
}

/** Contacts that the server no longer lists, although the person removed none of them [Note: I3]. */
export const vanishedStore = createStore<{ vanished: Vanished[] }>(() => ({ vanished: [] }))

/** Compares the list with the pinned contacts, if this page has read all of it. */
export async function checkVanished(env: Env): Promise<void> {
  if (roomsStore.getState().counter === null) return
  // A contact who is a member of another room beside is not listed by that.
  const listedIds = [...roomsStore.getState().rooms.values()].flatMap((room) => personIdOfDirect(room) ?? [])
  vanishedStore.setState({ vanished: await env.crypto.vanishedContacts({ listedIds }) })
}

/** The person knows that this contact is gone: no browser of theirs tells of it again. */
export async function knowVanished(env: Env, userId: string): Promise<void> {
  await env.crypto.knowVanished({ userId })
  await checkVanished(env)
  await saveBook(env)
}

export const resetVanished = (): void => vanishedStore.setState({ vanished: [] })
