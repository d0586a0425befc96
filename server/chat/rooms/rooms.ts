import type { CommitEntry, LogEntry, LogPage, RoomGroup } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { takeKeyPackages } from '../../identity/devices/keypackages.ts'
import { hasRoomOnList, looksMutual } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import { idsOf, type Room, readerOf, requireMember, requireRoom } from './members.ts'
import { shownMessage, withheldEntry } from './shownMessage.ts'
import * as store from './store.ts'

/** Returns the room's current MLS group, for a device that joins. Throws Refusal. */
export async function readGroup(env: Env, user: SignedInUser, roomId: string): Promise<RoomGroup> {
  await requireRoom(env.db, user, roomId, env.clock())
  // One snapshot: a device could not join with a GroupInfo of another epoch than the returned one.
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

/**
 * Returns the messages and commits after a seq, in order and without a gap. A message that is withheld from the caller is its place
 * and its hash. Throws Refusal.
 */
export async function readLog(env: Env, user: SignedInUser, roomId: string, after: number, limit: number): Promise<LogPage> {
  const room = await requireRoom(env.db, user, roomId, env.clock())
  // All entries up to `lastSeq` are committed, so both queries see them all, whatever is appended in between.
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
  // A kind that its size bound cut short lacks entries after its last one, so the page ends there.
  const end = Math.min(
    endBySize(messages, ({ content }) => content),
    endBySize(commits, ({ commit }) => commit),
  )
  const page = entries.filter(({ seq }) => seq <= end).sort((a, b) => a.seq - b.seq)
  return { entries: page.slice(0, limit), lastSeq: room.lastSeq }
}

/** Returns the seq of the last row if the rows reach the size bound of a page; otherwise infinity. */
function endBySize<R extends { seq: number; bytesBefore: number }>(rows: R[], textOf: (row: R) => string): number {
  const last = rows.at(-1)
  const isFull = last !== undefined && last.bytesBefore + Buffer.byteLength(textOf(last)) >= LIMITS.logPageBytes
  return isFull ? last.seq : Number.POSITIVE_INFINITY
}

/** Claims one key package of every other device of the members, to create that generation's group [Note: R5]. Throws Refusal. */
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
    const accepting = await acceptingMembers(env, tx, user.id, room)
    return await takeKeyPackages(tx, {
      chatRoomId: room.id,
      generation,
      claimedBy: user.id,
      claimingDevice: deviceId,
      members,
      accepting,
      now: env.clock(),
    })
  })
  return { packages }
}

/** Returns the members whose one-time packages the caller may claim. Claims of strangers are limited per day. Throws Refusal. */
async function acceptingMembers(env: Env, tx: Queryable, userId: string, room: Room): Promise<string[]> {
  const members = idsOf(room)
  if (room.type !== 'direct') return members
  const [other] = members.filter((id) => id !== userId)
  if (other !== undefined && (await looksMutual(tx, userId, other))) return members
  await env.limits.take('claimOfStranger', `${userId} ${room.id}`)
  return [userId]
}

/** Converts a commit's row to the contract's shape. */
export const shownCommit = ({ createdAt, ...row }: store.CommitRow): CommitEntry => ({
  kind: 'commit',
  ...row,
  createdAt: createdAt.toISOString(),
})
