import { accountStore } from '../account/store.ts'
import { checkVanished } from '../contacts/vanished.ts'
import { CryptoFailure, type Mismatch } from '../crypto/crypto.ts'
import { showAnnounced } from '../devices/list.ts'
import { refillKeyPackages } from '../devices/packages.ts'
import type { Env } from '../env.ts'
import { syncRoom } from '../messages/receive.ts'
import { flushAll } from '../messages/send.ts'
import { inLanes } from '../net/turns.ts'
import { enterEverywhere } from '../rooms/gate.ts'
import { roomsStore, sortRooms } from '../rooms/list.ts'
import { reloadRooms } from '../rooms/load.ts'
import { isOtherState } from '../rooms/otherstate.ts'
import { refreshPreview } from '../rooms/preview.ts'
import type { Room } from '../rooms/room.ts'
import { checkBook, saveBook } from '../trust/book.ts'
import { refreshPeers } from '../trust/peers.ts'
import { changePerson, personById } from '../trust/people.ts'
import { reloadVerified } from '../trust/verified.ts'
import { checkOwnKeys } from './ending.ts'

const ROOMS_AT_ONCE = 6

let running: Promise<void> | undefined
let asked: ReadonlySet<string> | 'all' | undefined

/**
 * Brings all rooms up to date, or with `userIds` those with these people. One run at a time; asked for during one, it runs once
 * more behind it.
 */
export function syncAll(env: Env, userIds?: readonly string[]): Promise<void> {
  asked = userIds && asked !== 'all' ? new Set([...(asked ?? []), ...userIds]) : 'all'
  running ??= (async () => {
    try {
      while (asked) {
        const whose = asked
        asked = undefined
        await sync(env, whose)
      }
    } finally {
      running = undefined
    }
  })()
  return running
}

/** Another browser of the account saved the book: what it decided about people holds here too, at once [Note: I1]. */
export async function onBookSaved(env: Env, version: number): Promise<void> {
  if ((await env.crypto.bookVersion()) >= version) return
  await checkBook(env)
  await syncAll(env)
}

/** Another browser of the account changed its keys. Where that ended the history, this one must be inside its rooms to read on. */
export async function onKeysChanged(env: Env, userId: string): Promise<void> {
  await checkOwnKeys(env, userId)
  if (accountStore.getState().phase === 'signed_in') await enterEverywhere(env, listed())
}

/** Once a page: checks that this device belongs to the account, merges the book, and refills the key packages. */
export async function checkDevice(env: Env, userId: string): Promise<void> {
  // Before the server sends another list: the devices known when this browser was added are those that the person has seen.
  await showAnnounced(env)
  await checkOwnKeys(env, userId)
  if (accountStore.getState().phase !== 'signed_in') return
  await refillKeyPackages(env)
  await checkBook(env)
}

const listed = () => sortRooms(roomsStore.getState().rooms.values())

async function sync(env: Env, whose: ReadonlySet<string> | 'all'): Promise<void> {
  const isDue = ({ peers }: Room) => whose === 'all' || peers.some(({ id }) => whose.has(id))
  const rooms = (await reloadRooms(env)).filter(isDue)
  await checkVanished(env)
  await Promise.all(rooms.map((room) => refreshPreview(env, room)))
  const failures: CryptoFailure[] = []
  // In parallel: while the server answers for one room, another one is opened here.
  await inLanes(ROOMS_AT_ONCE, listed().filter(isDue), async (room) => {
    // The first key of a stranger is pinned when the request is accepted [Note: R5].
    if (room.state === 'pending') return
    const peerIds = room.peers.map(({ id }) => id)
    try {
      const differing = await refreshPeers(env, room)
      for (const id of peerIds) markPerson(id, differing.get(id) ?? null)
      await syncRoom(env, room)
    } catch (error) {
      // A failure of one room's keys must not keep the others from being read. One of the account is thrown at the end.
      if (!(error instanceof CryptoFailure)) throw error
      if (OF_ACCOUNT.includes(error.code)) failures.push(error)
      else if (!isOtherState(error)) for (const id of peerIds) markPerson(id, 'key_changed')
    }
  })
  await enterEverywhere(env, listed().filter(isDue))
  await flushAll(env)
  // Saves what was decided about keys while the server was away, and shows what other browsers decided.
  await saveBook(env)
  await reloadVerified(env)
  if (failures[0]) throw failures[0]
}

/** Failures of the account's own book and device list: they say nothing about another person's key. */
const OF_ACCOUNT = [
  'book_ahead',
  'book_rollback',
  'book_spoiled',
  'book_unread',
  'history_key',
  'own_rollback',
  'manifest',
  'newer_version',
]

/** An account that is gone has no key and no name that could change. */
function markPerson(id: string, mismatch: Mismatch | null): void {
  if (!personById(id)?.isDeleted) changePerson(id, { mismatch })
}
