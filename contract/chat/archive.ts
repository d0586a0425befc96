import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { base64, chatRoomId, counterShape, done } from '../ground/shapes.ts'
import { archiveKeyShape } from './rooms.ts'

const pageNumber = z.coerce
  .number()
  .int()
  .nonnegative()
  .max(LIMITS.archivePagesMax - 1)

const version = counterShape.positive()
/** null under the lock's own seed [Note: L1]. */
const historyKeyId = counterShape.positive().nullable()

/** Has no content. */
const pageHeadShape = z.object({
  number: pageNumber,
  version,
  historyKeyId,
  /** Another browser's newest [Note: H1]. */
  before: z.object({ version, historyKeyId }).nullable().default(null),
})

const sealed = base64(LIMITS.archivePageBytes)

/** A chat that has or had a password keeps its archive keys in pages that its own seed opens [Note: L1]. */
export const archiveApi = {
  pages: endpoint({
    method: 'GET',
    path: '/api/rooms/:chatRoomId/archive-pages',
    access: 'signed_in',
    assurance: 'device',
    summary: 'The heads of the caller’s archive pages of a room, in their order.',
    input: z.object({ chatRoomId }),
    output: z.object({ pages: z.array(pageHeadShape).max(LIMITS.archivePagesMax) }),
  }),
  page: endpoint({
    method: 'GET',
    path: '/api/rooms/:chatRoomId/archive-pages/:number',
    access: 'signed_in',
    assurance: 'device',
    summary: 'One archive page of the caller: the newest of that number, or the one of that version.',
    input: z.object({ chatRoomId, number: pageNumber, version: z.coerce.number().int().positive().optional() }),
    output: z.object({ number: pageNumber, version, historyKeyId, sealed }),
  }),
  putPage: endpoint({
    method: 'PUT',
    path: '/api/rooms/:chatRoomId/archive-pages/:number',
    access: 'signed_in',
    assurance: 'device',
    rates: ['archivePages', 'archivePagesInRoom'],
    summary:
      'Writes an archive page of a chat with a password if the stored one has the version before (1: there is none), else refuses with stale_version. One under a history key follows one under the chat’s own seed. The sealed archive keys of `epochs`, which the page holds, are deleted where the chat password was just entered, or the account has one browser; otherwise once two browsers have named them.',
    input: z.object({
      chatRoomId,
      number: pageNumber,
      version,
      historyKeyId,
      sealed,
      epochs: z
        .array(z.object({ groupId: base64(48), epoch: counterShape }))
        .max(LIMITS.archivePageEpochs, `At most ${LIMITS.archivePageEpochs} epochs at once`),
    }),
    output: done,
    bodyLimitBytes: 1024 * 1024,
  }),
  keysLeft: endpoint({
    method: 'GET',
    path: '/api/rooms/:chatRoomId/archive-keys/all',
    access: 'signed_in',
    assurance: 'device',
    summary: 'The caller’s sealed archive keys of a room that this browser has put into no page yet, at most 200 of them.',
    input: z.object({ chatRoomId }),
    output: z.object({ keys: z.array(archiveKeyShape).max(LIMITS.archiveKeysLeftMax), more: z.boolean() }),
  }),
}
