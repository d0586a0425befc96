import { randomUUID } from 'node:crypto'
import { roomsApi } from '../contract/chat/rooms.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { creation } from '../server/testing/group.ts'
import { alice, base64, by, HISTORY_KEY_ID, type Request, type Scene, versionsOf } from './scene.ts'
import { envelopeFor } from './seed.ts'

const inLongRoom = ({ longRoom }: Scene) => ({ chatRoomId: longRoom.chatRoomId })

/** A commit that begins the next generation of the shared room. */
async function nextGroup(scene: Scene) {
  const { generation } = await scene.bob.does(roomsApi.group, { chatRoomId: scene.sharedRoom })
  return { ...creation(scene.sharedRoom, generation + 1), manifestVersions: versionsOf(scene.bob, scene.carol) }
}

/** The most archive keys that a commit may bring within the members that a body may have. */
const manyKeys = (userId: string, groupId: string, epoch: number, count: number, bytes: number) =>
  Array.from({ length: count }, () => ({ userId, groupId, epoch, historyKeyId: HISTORY_KEY_ID, sealed: base64(bytes) }))

/** What of each call for rooms and messages costs the server most, as in `DEAREST`. */
export const ROOMS: Record<string, Record<string, Request>> = {
  'GET /api/messages': {
    'a page of the longest': by(alice, (scene) => ({ ...inLongRoom(scene), limit: LIMITS.pageMax })),
  },
  'POST /api/messages': {
    'the longest': by(alice, ({ longRoom: { chatRoomId, groupId } }) => ({
      ...{ chatRoomId, messageType: 'text', id: randomUUID(), content: envelopeFor(groupId, LIMITS.contentBytes) },
    })),
  },
  'POST /api/messages/:chatRoomId/mark-read': { 'a room of the longest': by(alice, inLongRoom) },
  'POST /api/messages/:chatRoomId/mark-delivered': {
    'a room of the longest': by(alice, (scene) => ({ ...inLongRoom(scene), seq: 1_000_000 })),
  },
  'GET /api/rooms': {
    'a page of the longest': by(alice, () => ({ limit: LIMITS.roomPageMax })),
    'as many changes as may be': by(alice, () => ({ since: '0', limit: LIMITS.roomPageMax })),
  },
  'POST /api/notes': { 'one that is there': by(alice, () => ({})) },
  'GET /api/rooms/:chatRoomId/group': { 'the longest GroupInfo and Welcome': by(alice, inLongRoom) },
  'GET /api/rooms/:chatRoomId/log': { 'a page of the longest': by(alice, inLongRoom) },
  'POST /api/rooms/:chatRoomId/commits': {
    'the longest commit, Welcome and GroupInfo': async (scene) => ({
      who: scene.bob,
      input: {
        ...(await nextGroup(scene)),
        ...{ commit: base64(64 * 1024), welcome: base64(256 * 1024), groupInfo: base64(256 * 1024) },
      },
    }),
    'the most archive keys': async (scene) => {
      const draft = await nextGroup(scene)
      return { who: scene.bob, input: { ...draft, archiveKeys: manyKeys(scene.bob.id, draft.groupId, 1, 700, 300) } }
    },
    'a stale one, answered by a page of the longest': by(alice, ({ longRoom: { chatRoomId } }) => creation(chatRoomId, 99)),
  },
  'POST /api/rooms/:chatRoomId/key-packages': {
    'of as many devices as may be': async (scene) => {
      const { generation } = await scene.carol.does(roomsApi.group, { chatRoomId: scene.sharedRoom })
      return { who: scene.carol, input: { chatRoomId: scene.sharedRoom, generation: generation + 1 } }
    },
  },
  'GET /api/rooms/:chatRoomId/archive-keys': {
    'as many as may be': async ({ alice, longRoom, fillArchive }) => {
      await fillArchive()
      return {
        who: alice,
        input: { ...longRoom, epochs: Array.from({ length: LIMITS.archiveKeysAtOnce }, (_, at) => at + 1).join() },
      }
    },
  },
  'POST /api/rooms/:chatRoomId/archive-keys': {
    'as many as may be, of the longest': by(
      ({ bob }) => bob,
      ({ bob, sharedRoom, sharedGroup }) => ({
        chatRoomId: sharedRoom,
        keys: manyKeys(bob.id, sharedGroup, 1, LIMITS.archiveKeysAtOnce, 1500),
      }),
    ),
  },
  'PUT /api/rooms/:chatRoomId/group-info': {
    'the longest': by(alice, ({ longRoom }) => ({ ...longRoom, epoch: 1, groupInfo: base64(256 * 1024) })),
  },
}
