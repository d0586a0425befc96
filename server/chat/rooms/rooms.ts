import type { CommitEntry, LogEntry, LogPage, RoomGroup } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { noteClaim, takeKeyPackages } from '../../identity/devices/keypackages.ts'
import { hasRoomOnList, looksMutual } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import { keyBytesReached, takenBy } from './keyBytes.ts'
import { idsOf, type Room, readerOf, requireMember, requireRoom } from './members.ts'
import { shownMessage, withheldEntry } from './shownMessage.ts'
import * as store from './store.ts'
import { countTaken } from './store-keybytes.ts'

/** Throws as `requireRoom` does. */
export async function readGroup(env: Env, user: SignedInUser, roomId: string): Promise<RoomGroup> {
  await requireRoom(env.db, user, roomId, env.clock())
  // One snapshot keeps GroupInfo and epoch together.
  return await env.db.transaction(
    async (tx) => {
      const { id, generation, groupId, epoch, lastSeq } = await requireMember(tx, user.id, roomId)
      const group = await store.findGroup(tx, id)
      const { welcome = null, welcomeSeq = null, welcomeEpoch = null } = group ?? {}
      return {
        chatRoomId: id,
        generation,
        groupId,
        epoch,
        lastSeq,
        groupInfo: group?.groupInfo ?? null,
        welcome:
          welcome !== null && welcomeSeq !== null && welcomeEpoch !== null
            ? { seq: welcomeSeq, epoch: welcomeEpoch, welcome }
            : null,
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/** Returns messages and commits after a seq without a gap. A withheld message is its place and hash. Throws Refusal. */
export async function readLog(env: Env, user: SignedInUser, roomId: string, after: number, limit: number): Promise<LogPage> {
  const room = await requireRoom(env.db, user, roomId, env.clock())
  // Entries up to `lastSeq` are committed, so both queries see them all.
  const range = { roomId: room.id, after, upTo: room.lastSeq, limit }
  const [messages, commits] = await Promise.all([
    store.messagesBetween(env.db, { ...range, ...readerOf(room, user.id) }),
    store.commitsBetween(env.db, range),
  ])
  const entries: LogEntry[] = [
    ...messages.map(({ bytesBefore: _, withheldHash, ...row }) =>
      withheldHash ? withheldEntry(row, withheldHash) : { kind: 'message' as const, ...shownMessage(row, row, room.members) },
    ),
    ...commits.map(({ bytesBefore: _, ...row }) => shownCommit(row)),
  ]
  // The page ends where either kind reached its bound.
  const end = Math.min(
    endBySize(messages, ({ content }) => content),
    endBySize(commits, ({ commit }) => commit),
  )
  const page = entries.filter(({ seq }) => seq <= end).sort((a, b) => a.seq - b.seq)
  return { entries: page.slice(0, limit), lastSeq: room.lastSeq }
}

/** Returns the last seq at the size bound; otherwise infinity. */
function endBySize<R extends { seq: number; bytesBefore: number }>(rows: R[], textOf: (row: R) => string): number {
  const last = rows.at(-1)
  const isFull = last !== undefined && last.bytesBefore + Buffer.byteLength(textOf(last)) >= LIMITS.logPageBytes
  return isFull ? last.seq : Number.POSITIVE_INFINITY
}

/** Claims a key package of every other device [Note: R5]. Throws Refusal. */
export async function claimKeyPackages(env: Env, user: SignedInUser, roomId: string, generation: number) {
  const { deviceId } = user
  if (deviceId === null) throw new Refusal('unknown_device')
  const packages = await env.db.transaction(async (tx) => {
    await requireRoom(tx, user, roomId, env.clock())
    await store.lockRoom(tx, roomId)
    const room = await requireRoom(tx, user, roomId, env.clock())
    const members = idsOf(room)
    if (room.type === 'direct' && !(await hasRoomOnList(tx, user.id, room.id))) throw new Refusal('not_found')
    if (room.isClosed) throw new Refusal('account_deleted')
    if (generation !== room.generation + 1) throw new Refusal('stale_epoch')
    // Own devices come in from outside [Note: M10].
    if (room.type === 'notes') {
      await noteClaim(tx, { chatRoomId: room.id, generation, claimedBy: user.id, claimingDevice: deviceId })
      return []
    }
    const accepting = await acceptingMembers(env, tx, user.id, room)
    const claimed = await takeKeyPackages(tx, {
      chatRoomId: room.id,
      generation,
      claimedBy: user.id,
      claimingDevice: deviceId,
      members,
      accepting,
      now: env.clock(),
    })
    if (!(await countTaken(tx, takenBy(env, user, ...claimed.map(({ keyPackage }) => keyPackage))))) throw keyBytesReached(env)
    return claimed
  })
  return { packages }
}

/** Limits claims of strangers per day. Throws Refusal. */
async function acceptingMembers(env: Env, tx: Queryable, userId: string, room: Room): Promise<string[]> {
  const members = idsOf(room)
  if (room.type !== 'direct') return members
  const [other] = members.filter((id) => id !== userId)
  if (other !== undefined && (await looksMutual(tx, userId, other))) return members
  await env.limits.take('claimOfStranger', `${userId} ${room.id}`)
  return [userId]
}

export const shownCommit = ({ createdAt, ...row }: store.CommitRow): CommitEntry => ({
  kind: 'commit',
  ...row,
  createdAt: createdAt.toISOString(),
})
