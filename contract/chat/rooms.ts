import { z } from 'zod'
import { deviceId } from '../account/documents.ts'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { base64, boundedRecord, chatRoomId, counterShape, done, instant, seqShape, userId } from '../ground/shapes.ts'
import { messageShape } from './messages.ts'
import { listRooms } from './roomlist.ts'

const place = z.coerce.number().int().nonnegative()
const groupId = base64(48)
const epoch = counterShape

/** Made in `epoch`; the room is then at `epoch + 1`. */
export const commitShape = z.object({
  kind: z.literal('commit'),
  seq: seqShape,
  chatRoomId,
  senderId: userId,
  generation: counterShape.positive(),
  groupId,
  epoch,
  commit: base64(LIMITS.commitBytes),
  createdAt: instant,
})
export type CommitEntry = z.infer<typeof commitShape>

/** The reader has blocked the sender or cleared the room. `contentHash` is what [Note: M5] hashes of the envelope. */
export const withheldShape = z.object({
  kind: z.literal('withheld'),
  id: z.uuid(),
  seq: seqShape,
  chatRoomId,
  senderId: userId,
  contentHash: base64(32),
  createdAt: instant,
})
export type WithheldEntry = z.infer<typeof withheldShape>

export const logEntryShape = z.discriminatedUnion('kind', [
  messageShape.extend({ kind: z.literal('message') }),
  commitShape,
  withheldShape,
])
export type LogEntry = z.infer<typeof logEntryShape>

export const logPageShape = z.object({ entries: z.array(logEntryShape).max(LIMITS.logPageMax), lastSeq: seqShape })
export type LogPage = z.infer<typeof logPageShape>

/** One epoch's archive key, sealed to one account's history key [Note: H1]. */
export const archiveKeyShape = z.object({
  userId,
  groupId,
  epoch,
  historyKeyId: counterShape.positive(),
  sealed: base64(2048),
})
export type ArchiveKey = z.infer<typeof archiveKeyShape>

export const groupShape = z.object({
  chatRoomId,
  /** 0 before the first group. */
  generation: seqShape,
  groupId: groupId.nullable(),
  epoch,
  lastSeq: seqShape,
  groupInfo: base64(256 * 1024).nullable(),
  /** The generation's newest Welcome, published with the commit at `seq`. */
  welcome: z.object({ seq: seqShape, epoch, welcome: base64(256 * 1024) }).nullable(),
})
export type RoomGroup = z.infer<typeof groupShape>

export const commitDraftShape = z.object({
  chatRoomId,
  /** A new group has the room's next generation and epoch 0; other commits name the current generation. */
  generation: counterShape.positive(),
  groupId,
  epoch,
  commit: base64(LIMITS.commitBytes),
  welcome: base64(256 * 1024).optional(),
  groupInfo: base64(256 * 1024),
  archiveKeys: z.array(archiveKeyShape).max(LIMITS.roomMembersMax),
  /** Older versions than the newest are refused with stale_manifest. */
  manifestVersions: boundedRecord(userId, seqShape, LIMITS.roomMembersMax),
  /** A stale_epoch refusal carries the entries after this. */
  afterSeq: seqShape,
})
export type CommitDraft = z.infer<typeof commitDraftShape>

export const roomsApi = {
  list: listRooms,
  openNotes: endpoint({
    method: 'POST',
    path: '/api/notes',
    access: 'signed_in',
    assurance: 'device',
    rates: ['notes'],
    summary: 'The caller’s note to self: a room whose only member is its owner. Made where there is none.',
    input: z.object({}),
    output: z.object({ chatRoomId }),
  }),
  group: endpoint({
    method: 'GET',
    path: '/api/rooms/:chatRoomId/group',
    access: 'signed_in',
    assurance: 'device',
    summary: 'The room’s current MLS group, for a device that joins.',
    input: z.object({ chatRoomId }),
    output: groupShape,
  }),
  log: endpoint({
    method: 'GET',
    path: '/api/rooms/:chatRoomId/log',
    access: 'signed_in',
    assurance: 'device',
    summary: 'Messages and commits after a seq, in order.',
    input: z.object({
      chatRoomId,
      after: place.default(0),
      limit: z.coerce.number().int().min(1).max(LIMITS.logPageMax).default(LIMITS.logPageMax),
    }),
    output: logPageShape,
    answerLimitBytes: LIMITS.pageAnswerBytes,
  }),
  commit: endpoint({
    method: 'POST',
    path: '/api/rooms/:chatRoomId/commits',
    access: 'signed_in',
    assurance: 'device',
    rates: ['commits', 'commitsInRoom'],
    summary:
      'Appends a commit when it is made for the current group and epoch, else refuses with stale_epoch and what was missed. Who does not know the newest device lists is refused with stale_manifest and their versions.',
    input: commitDraftShape,
    output: z.object({ seq: seqShape }),
    bodyLimitBytes: 2 * 1024 * 1024,
    answerLimitBytes: LIMITS.pageAnswerBytes,
  }),
  claimKeyPackages: endpoint({
    method: 'POST',
    path: '/api/rooms/:chatRoomId/key-packages',
    access: 'signed_in',
    assurance: 'device',
    rates: ['claimKeyPackages', 'claimKeyPackagesInRoom'],
    summary:
      'One key package of every other device of both members, to create that generation’s group. Asking again gives the same.',
    input: z.object({ chatRoomId, generation: counterShape.positive() }),
    output: z.object({
      packages: z
        .array(z.object({ userId, deviceId, keyPackage: base64(8 * 1024) }))
        .max(LIMITS.roomMembersMax * LIMITS.devicesMax),
    }),
  }),
  archiveKeys: endpoint({
    method: 'GET',
    path: '/api/rooms/:chatRoomId/archive-keys',
    access: 'signed_in',
    assurance: 'device',
    summary:
      'The caller’s sealed archive keys of some epochs (comma-separated, at most 100) of one group: the committer’s and those of own devices.',
    input: z.object({ chatRoomId, groupId, epochs: z.string().regex(/^\d{1,9}(,\d{1,9}){0,99}$/) }),
    output: z.object({ keys: z.array(archiveKeyShape).max(LIMITS.archiveKeysAtOnce * 2 * LIMITS.archiveKeysPerSlot) }),
  }),
  addArchiveKeys: endpoint({
    method: 'POST',
    path: '/api/rooms/:chatRoomId/archive-keys',
    access: 'signed_in',
    assurance: 'device',
    rates: ['repairs', 'repairsInRoom'],
    summary: 'Adds archive keys of the caller’s own account that a committer left out. What is there already stays as it is.',
    input: z.object({ chatRoomId, keys: z.array(archiveKeyShape).min(1).max(LIMITS.archiveKeysAtOnce) }),
    output: done,
  }),
  replaceGroupInfo: endpoint({
    method: 'PUT',
    path: '/api/rooms/:chatRoomId/group-info',
    access: 'signed_in',
    assurance: 'device',
    rates: ['repairs', 'repairsInRoom'],
    summary: 'Replaces a wrong GroupInfo of the current group and epoch.',
    input: z.object({ chatRoomId, groupId, epoch, groupInfo: base64(256 * 1024) }),
    output: done,
    bodyLimitBytes: 1024 * 1024,
  }),
}
