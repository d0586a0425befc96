import { LIMITS } from '../contract/ground/limits.ts'
import { base64, type Request } from './scene.ts'

const inLongRoom: Request = async ({ alice, longRoom: { chatRoomId } }) => ({ who: alice, input: { chatRoomId, number: 0 } })

/** What of each call for archive pages costs the server most, as in `DEAREST`. */
export const ARCHIVE: Record<string, Record<string, Request>> = {
  'GET /api/rooms/:chatRoomId/archive-keys/all': { 'a room of the longest': inLongRoom },
  'GET /api/rooms/:chatRoomId/archive-pages': { 'a room of the longest': inLongRoom },
  'GET /api/rooms/:chatRoomId/archive-pages/:number': { 'a room of the longest': inLongRoom },
  'PUT /api/rooms/:chatRoomId/archive-pages/:number': {
    'the longest, with as many epochs as may be': async ({ alice, longRoom: { chatRoomId, groupId } }) => ({
      who: alice,
      input: {
        ...{ chatRoomId, number: 0, version: 1, sealed: base64(LIMITS.archivePageBytes) },
        historyKeyId: alice.identity.manifest.historyKeyId,
        epochs: Array.from({ length: LIMITS.archivePageEpochs }, (_, epoch) => ({ groupId, epoch: epoch + 1 })),
      },
    }),
  },
}
