import { randomBytes, randomUUID } from 'node:crypto'
import { writeEnvelope } from '../../contract/chat/envelope.ts'
import type { CommitDraft } from '../../contract/chat/rooms.ts'
import { membersOfDirectRoom } from '../../contract/ground/shapes.ts'
import type { Person } from './person.ts'
import type { World } from './world.ts'

export const random = (bytes = 60): string => randomBytes(bytes).toString('base64')

/** Manifest versions of both members, all 1. */
export const firstManifests = (chatRoomId: string): Record<string, number> =>
  Object.fromEntries(membersOfDirectRoom(chatRoomId).map((userId) => [userId, 1]))

/** A commit that creates the room's group of that generation. Random bytes stand in for MLS. */
export const creation = (chatRoomId: string, generation = 1): CommitDraft => ({
  ...{ chatRoomId, generation, groupId: random(48), epoch: 0, afterSeq: 0 },
  ...{ commit: random(), welcome: random(), groupInfo: random(), archiveKeys: [] },
  manifestVersions: firstManifests(chatRoomId),
})

/** A commit for the epoch after `before`. */
export const following = ({ welcome, ...before }: CommitDraft): CommitDraft => ({
  ...before,
  epoch: before.epoch + 1,
  commit: random(),
  groupInfo: random(),
})

/**
 * Returns the id of a group with these members, who need not know each other. No call makes one yet, so its rows are inserted; its
 * messages use the same calls as in a direct room.
 */
export async function plantGroup(world: Pick<World, 'sql'>, ...members: Pick<Person, 'id'>[]): Promise<string> {
  const chatRoomId = `room_${randomUUID()}`
  const ids = members.map(({ id }) => id)
  await world.sql("insert into chat_rooms (id, type, created_by, created_at) values ($1, 'group', $2, now())", [
    chatRoomId,
    ids[0],
  ])
  await world.sql('insert into chat_participants (chat_room_id, user_id, joined_at) select $1, unnest($2::uuid[]), now()', [
    chatRoomId,
    ids,
  ])
  return chatRoomId
}

/** An envelope for that epoch. */
export const sealed = (groupId: string, epoch: number): string =>
  writeEnvelope({ v: 1, groupId, epoch, mls: random(), archive: random(), body: random() })
