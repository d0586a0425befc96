import type { CallContent } from '../../../contract/chat/content.ts'
import { callIn } from '../../../contract/chat/kinds/kinds.ts'
import type { Env } from '../../env.ts'
import { isFollowed, isNotes } from '../../rooms/list/room.ts'
import { isShutRow, newestAt, type RoomRow, roomsStore } from '../../rooms/list/roomList.ts'
import type { StoredMessage } from '../../worker/crypto.ts'

const PAGE = 200
const NEWEST = 20

export interface ListedCall {
  chatRoomId: string
  seq: number
  at: string
  isMine: boolean
  call: CallContent
}

/** How far one chat was read, from its newest message on. */
interface Reading {
  room: RoomRow
  /** Seq of the oldest message that was read. */
  before: number | undefined
  /** Nothing older than this was read (ISO 8601). */
  until: string
  isWhole: boolean
}

/** How far all chats were read. */
export interface CallListing {
  readings: Reading[]
  /** Newest first, as far as no chat that was read less far can have a newer one. */
  calls: ListedCall[]
  /** Read already, and perhaps older than what another chat still has. */
  later: ListedCall[]
  isWhole: boolean
}

/** Locked chats keep their calls to themselves. */
export const newListing = (rooms: Iterable<RoomRow>): CallListing => ({
  readings: [...rooms].filter(isListed).map((room) => ({ room, before: undefined, until: newestAt(room) ?? '', isWhole: false })),
  ...{ calls: [], later: [], isWhole: false },
})

const isListed = (room: RoomRow): boolean => isFollowed(room) && !isNotes(room) && !isShutRow(room)

/** Tells of each chat that shows another newest message. Returns how to stop. */
export const followNewest = (tell: (room: RoomRow) => void): (() => void) =>
  roomsStore.subscribe(({ rooms }, before) => {
    for (const room of rooms.values()) if (room.preview !== before.rooms.get(room.id)?.preview && isListed(room)) tell(room)
  })

export const newestCalls = async (env: Env, room: RoomRow): Promise<ListedCall[]> =>
  callsOf(room, (await env.crypto.page({ chatRoomId: room.id, limit: NEWEST })).messages)

export const withCalls = (listing: CallListing, calls: readonly ListedCall[]): CallListing =>
  settled({ ...listing, later: [...listing.later, ...calls] })

/** Reads one page more: of the chat that can have the newest call which is not listed yet. */
export async function readMore(env: Env, listing: CallListing): Promise<CallListing> {
  const open = listing.readings.filter(({ isWhole }) => !isWhole)
  const next = open.sort((a, b) => b.until.localeCompare(a.until))[0]
  if (!next) return settled(listing)
  const { room, before } = next
  const place = before === undefined ? {} : { before }
  const { messages } = await env.crypto.page({ chatRoomId: room.id, limit: PAGE, ...place })
  const [oldest] = messages
  const read: Reading = {
    room,
    before: oldest?.seq ?? before,
    until: oldest && oldest.at < next.until ? oldest.at : next.until,
    isWhole: messages.length < PAGE,
  }
  const readings = listing.readings.map((one) => (one === next ? read : one))
  return settled({ ...listing, readings, later: [...listing.later, ...callsOf(room, messages)] })
}

const callsOf = ({ id, ownId }: RoomRow, messages: StoredMessage[]): ListedCall[] =>
  messages.flatMap(({ seq, at, senderId, body }): ListedCall[] => {
    const call = body.kind === 'content' ? callIn(body.content) : undefined
    return call ? [{ chatRoomId: id, seq, at, isMine: senderId === ownId, call }] : []
  })

/** Lists what no other chat can come before. */
function settled({ readings, calls, later }: CallListing): CallListing {
  const open = readings.filter(({ isWhole }) => !isWhole)
  const bound =
    open
      .map(({ until }) => until)
      .sort()
      .at(-1) ?? ''
  const byTime = (a: ListedCall, b: ListedCall) => b.at.localeCompare(a.at)
  const isSettled = ({ at }: ListedCall) => open.length === 0 || at >= bound
  return {
    readings,
    calls: onceEach([...calls, ...later.filter(isSettled)].toSorted(byTime)),
    later: later.filter((call) => !isSettled(call)),
    isWhole: open.length === 0,
  }
}

/** A call whose line was written twice stands once. */
function onceEach(calls: ListedCall[]): ListedCall[] {
  const seen = new Set<string>()
  return calls.filter(({ chatRoomId, call }) => {
    const id = `${chatRoomId} ${call.callId}`
    return !seen.has(id) && seen.add(id)
  })
}
