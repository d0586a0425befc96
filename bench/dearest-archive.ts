import { chatLocksApi } from '../contract/chat/chatlocks.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { newAuthSecret, type Person } from '../server/testing/person.ts'
import { base64, confirms, type Request } from './scene.ts'

const inLongRoom: Request = async ({ alice, longRoom: { chatRoomId } }) => ({ who: alice, input: { chatRoomId, number: 0 } })

/** Pages are taken of a chat with a password alone. */
async function protect(who: Person, chatRoomId: string): Promise<void> {
  const contact = (await who.contacts()).find((each) => each.chatRoomId === chatRoomId)
  const password = newAuthSecret()
  if (!contact || contact.isPasswordProtected) return
  await confirms(who)
  await who.does(chatLocksApi.set, { contactId: contact.id, password, confirmPassword: password })
}

/** What of each call for archive pages costs the server most, as in `DEAREST`. */
export const ARCHIVE: Record<string, Record<string, Request>> = {
  'GET /api/rooms/:chatRoomId/archive-keys/all': { 'a room of the longest': inLongRoom },
  'GET /api/rooms/:chatRoomId/archive-pages': { 'a room of the longest': inLongRoom },
  'GET /api/rooms/:chatRoomId/archive-pages/:number': { 'a room of the longest': inLongRoom },
  'PUT /api/rooms/:chatRoomId/archive-pages/:number': {
    'the longest, with as many epochs as may be': async ({ alice, longRoom: { chatRoomId, groupId } }) => {
      await protect(alice, chatRoomId)
      const epochs = Array.from({ length: LIMITS.archivePageEpochs }, (_, epoch) => ({ groupId, epoch: epoch + 1 }))
      const page = { chatRoomId, number: 0, version: 1, historyKeyId: null, sealed: base64(LIMITS.archivePageBytes) }
      return { who: alice, input: { ...page, epochs } }
    },
  },
}
