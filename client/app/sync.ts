import { directRoomId } from '../../contract/ground/shapes.ts'
import { isQuiet, syncRoom } from '../chat/messages/receive.ts'
import { flushAll } from '../chat/messages/send.ts'
import { takeClears } from '../chat/messages/takeClears.ts'
import { sendWaitingFiles } from '../chat/messages/waitingFiles.ts'
import type { Env } from '../env.ts'
import { accountStore } from '../me/account/accountState.ts'
import { showAnnounced, showListed } from '../me/devices/deviceList.ts'
import { inLanes } from '../net/inTurn.ts'
import { checkVanished } from '../people/contacts/vanished.ts'
import { fetchRooms, refreshRooms } from '../rooms/list/loadRooms.ts'
import { notesRoom } from '../rooms/list/notes.ts'
import { refreshPreview } from '../rooms/list/preview.ts'
import { isFollowed } from '../rooms/list/room.ts'
import { isBehind, type RoomRow, roomsStore, setBehind, sortRooms, takeBehind } from '../rooms/list/roomList.ts'
import { followLocks } from '../rooms/list/roomLocks.ts'
import { isOtherState } from '../rooms/log/otherState.ts'
import { enterEverywhere } from '../rooms/log/staleEpoch.ts'
import { checkBook, firstBook, saveBook } from '../rooms/trust/book.ts'
import { refreshPeers } from '../rooms/trust/peers.ts'
import { changePerson, personById } from '../rooms/trust/people.ts'
import { RefusedList, type Stop } from '../rooms/trust/refusedList.ts'
import { reloadVerified } from '../rooms/trust/verified.ts'
import { CryptoFailure, loadPart } from '../worker/crypto.ts'
import { checkOwnKeys } from './ending.ts'

const ROOMS_AT_ONCE = 6

/** What is to be brought up to date: the rooms with these people, what has changed since the last time, or every room. */
type Asked = ReadonlySet<string> | 'changed' | 'every'

let running: Promise<void> | undefined
let asked: Asked | undefined

/**
 * Brings the rooms up to date of which something has changed, or with `userIds` those with these people. One run at a time: a call
 * during a run makes one more run follow.
 */
export const syncAll = (env: Env, userIds?: readonly string[]): Promise<void> =>
  run(env, userIds === undefined ? 'changed' : new Set(userIds))

/** Brings every room up to date, also those of which the server has no news. */
export const syncEvery = (env: Env): Promise<void> => run(env, 'every')

function run(env: Env, more: Asked): Promise<void> {
  asked = merged(asked, more)
  running ??= (async () => {
    try {
      while (asked) {
        const next = asked
        asked = undefined
        await sync(env, next)
      }
    } finally {
      running = undefined
    }
  })()
  return running
}

function merged(before: Asked | undefined, more: Asked): Asked {
  if (before === undefined) return more
  if (before === 'every' || more === 'every') return 'every'
  if (before === 'changed' || more === 'changed') return 'changed'
  return new Set([...before, ...more])
}

/**
 * Merges the book after another browser of the account saved it, so that its decisions about people apply here at once [Note:
 * I1].
 */
export async function onBookSaved(env: Env, version: number): Promise<void> {
  if ((await env.crypto.bookVersion()) >= version) return
  await checkBook(env)
  await showListed(env)
  await syncEvery(env)
}

/**
 * Handles a change of the account's keys by another browser. If it ended the history, this browser must enter its rooms to read
 * new messages.
 */
export async function onKeysChanged(env: Env, userId: string): Promise<void> {
  await checkOwnKeys(env, userId)
  if (accountStore.getState().phase === 'signed_in') await enterEverywhere(env, listed())
}

/**
 * Checks once per page that this device belongs to the account, merges the book, and refills the key packages. Asks for the account's
 * keys when the page is `connected`, because it hears of whatever changes after that.
 */
export async function checkDevice(env: Env, userId: string, connected?: Promise<void>): Promise<void> {
  // Read this first, before the server sends another list: the person has seen the devices known when this browser was added.
  await showAnnounced(env)
  await connected
  await checkOwnKeys(env, userId)
  if (accountStore.getState().phase !== 'signed_in') return
  const { refillKeyPackages } = await loadPart(() => import('../me/devices/refillPackages.ts'))
  await refillKeyPackages(env)
  if (!(await firstBook(env))) await checkBook(env)
  await followLocks(env)
}

const listed = () => sortRooms(roomsStore.getState().rooms.values())

async function sync(env: Env, asked: Asked): Promise<void> {
  const previews: Promise<void>[] = []
  await followLocks(env)
  await readRows(env, asked, (rows) => previews.push(...rows.map((room) => refreshPreview(env, room))))
  if (asked === 'every') setBehind(roomsStore.getState().rooms.keys())
  await checkVanished(env)
  const due = listed().filter(({ id }) => isBehind(id))
  previews.push(...due.map((room) => refreshPreview(env, room)))
  await Promise.all(previews)
  const failures: unknown[] = []
  // In parallel: this browser opens one room while it waits for the server's response about another.
  await inLanes(ROOMS_AT_ONCE, due, async (room) => {
    takeBehind(room.id)
    // The first key of a stranger is pinned when the person accepts the request [Note: R5].
    if (!isFollowed(room) || isQuiet(room)) return
    const peerIds = room.peers.map(({ id }) => id)
    try {
      const differing = await refreshPeers(env, room)
      for (const id of peerIds) markPerson(id, differing.get(id) ?? null)
      await syncRoom(env, room)
    } catch (error) {
      // The next run tries again.
      setBehind([room.id])
      // A failure of one room must not stop the others: it is thrown at the end.
      if (!(error instanceof CryptoFailure)) throw error
      if (error instanceof RefusedList) markPerson(error.userId, error.fault)
      else if (!isOtherState(error)) failures.push(error)
    }
  })
  await enterEverywhere(env, due).catch((error: unknown) => failures.push(error))
  await flushAll(env)
  await sendWaitingFiles(env)
  // Saves decisions about keys made while the server was offline, and shows decisions made in other browsers.
  await saveBook(env)
  await reloadVerified(env)
  await takeClears(env)
  await gather(env).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function gather(env: Env): Promise<void> {
  const notes = notesRoom()
  if (notes) await (await loadPart(() => import('../rooms/log/gatherMarks.ts'))).gatherMarks(env, notes)
}

/** Reads the rows of the rooms with each named person, with oneself too, where the list is known; otherwise what has changed, or all of it. */
async function readRows(env: Env, asked: Asked, onRows: (rows: RoomRow[]) => void): Promise<void> {
  const ownId = accountStore.getState().user?.id
  const isKnown = roomsStore.getState().counter !== null
  if (typeof asked === 'string' || !isKnown || ownId === undefined) return void (await refreshRooms(env, onRows))
  const others = [...asked].filter((id) => id !== ownId)
  const shared = listed().flatMap(({ id, direct, memberIds }) =>
    !direct && others.some((one) => memberIds.includes(one)) ? [id] : [],
  )
  await fetchRooms(env, [...[...asked].map((id) => directRoomId(ownId, id)), ...shared])
}

/** Sets a person's mismatch, except of a deleted account, which has no key or name that could change. */
function markPerson(id: string, mismatch: Stop | null): void {
  if (!personById(id)?.isDeleted) changePerson(id, { mismatch })
}
