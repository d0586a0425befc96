import { z } from 'zod'
import { type User, userShape } from '../../../contract/account/account.ts'
import { type ListedRoom, roomRowShape } from '../../../contract/chat/roomlist.ts'
import type { Env } from '../../env.ts'
import { inLanes } from '../../net/inTurn.ts'
import { rowOfRoom } from '../list/listedRoom.ts'
import { showRows } from '../list/loadRooms.ts'
import { peopleOf } from '../list/members.ts'
import { refreshPreview } from '../list/preview.ts'
import { type RoomRow, roomsStore, sortRooms } from '../list/roomList.ts'
import { peopleStore } from '../trust/people.ts'

/** The newest rooms. */
const ROOMS_MAX = 300

/** Defaults for fields that older builds did not keep. */
const BARE_USER: Omit<User, 'id' | 'username' | 'displayName'> = {
  profileImageUrl: null,
  isAdmin: false,
  subscriptionTier: 'free',
  biometricEnabled: false,
  email: null,
  onionAddress: null,
  hasKeys: true,
  deviceId: null,
  privacy: { presence: true, lastSeen: true, typing: true, receipts: true },
}
const BARE_ROOM: Omit<ListedRoom, 'chatRoomId' | 'addedAt' | 'people' | 'direct' | 'lastSeq'> = {
  clearedSeq: 0,
  isPasswordProtected: false,
  isLocked: false,
  lastMessageAt: null,
  lastMessage: null,
  unreadCount: 0,
  mutedUntil: null,
  readSeq: 0,
}

/** Rows of builds with direct rooms alone: person and state lay in the row. */
const pairRowShape = z.looseObject({
  person: z.looseObject({}),
  contactId: z.string(),
  state: z.enum(['pending', 'accepted']),
  isBlocked: z.boolean().default(false),
  hasAnswered: z.boolean().default(true),
  theirDeliveredSeq: z.number().default(0),
  theirReadSeq: z.number().default(0),
})

function withMembers(row: object): object {
  const pair = pairRowShape.safeParse(row).data
  if (!pair) return row
  const { person, contactId, state, isBlocked, hasAnswered, theirDeliveredSeq, theirReadSeq, ...rest } = pair
  const people = [{ ...person, deliveredSeq: theirDeliveredSeq, readSeq: theirReadSeq }]
  return { ...rest, people, direct: { contactId, state, isBlocked, hasAnswered } }
}

const shownShape = z.object({ user: z.looseObject({}), rooms: z.array(z.looseObject({})).max(ROOMS_MAX) })

export async function keepShown(env: Env, user: User): Promise<void> {
  const { counter, rooms } = roomsStore.getState()
  // The server's list has not come.
  if (counter === null) return
  const rows = sortRooms(rooms.values()).flatMap((room) => {
    const people = peopleOf(room, peopleStore.getState().people)
    return people.length === room.peers.length ? [rowOfRoom(room, people)] : []
  })
  await env.crypto.keepShown({ user, rooms: rows.slice(0, ROOMS_MAX) })
}

/** undefined if this build reads nothing of the kept screens. */
type Kept = z.output<typeof shownShape> | undefined

export const readKept = async (env: Env): Promise<Kept> => shownShape.safeParse(await env.crypto.readShown()).data

export function ownUserOf(kept: Kept, who: Pick<User, 'id' | 'username'>): User {
  const own = { ...BARE_USER, displayName: who.username, ...who }
  return userShape.safeParse({ ...own, ...kept?.user }).data ?? own
}

/** Does nothing if rooms are shown already. `isAway`: no answer of the server is to come. */
export async function showKept(env: Env, kept: Kept, isAway: boolean): Promise<RoomRow[]> {
  if (roomsStore.getState().rooms.size > 0) return []
  const rows = (kept?.rooms ?? []).flatMap((row) => roomRowShape.safeParse({ ...BARE_ROOM, ...withMembers(row) }).data ?? [])
  return showRows(env, rows, isAway)
}

/** The open chat is read between these reads. */
const PREVIEWS_AT_ONCE = 4

/** `isOver`: they are read otherwise. */
export const showPreviews = (env: Env, rooms: RoomRow[], isOver = () => false): Promise<void> =>
  inLanes(PREVIEWS_AT_ONCE, sortRooms(rooms), async (room) => {
    if (!isOver()) await refreshPreview(env, room)
  })
