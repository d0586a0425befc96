import { toBase64 } from '../../contract/bytes.ts'
import { contactsApi } from '../../contract/contacts.ts'
import { publicKeyOfOnion } from '../../contract/onion.ts'
import { REFUSALS } from '../../contract/refusals.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { putRooms, type RoomRow } from '../rooms/list.ts'
import { keepRooms } from '../rooms/load.ts'

/**
 * Adds a contact by username or onion address. An onion address pins its key, so that a server that returns another key is detected
 * before anything is sent [Note: I1]. Throws ApiError.
 */
export async function addContact(env: Env, text: string): Promise<void> {
  const typed = text.trim()
  if (!typed.includes('.onion')) {
    await keepRooms(env, [await env.api(contactsApi.add, { username: typed.replace(/^@/, '') })])
    return
  }
  const key = publicKeyOfOnion(typed)
  if (!key) throw new ApiError(400, 'invalid_onion_address', REFUSALS.invalid_onion_address.text)
  const contact = await env.api(contactsApi.add, { onionAddress: typed.toLowerCase() })
  await env.crypto.pinAddress({ userId: contact.contactUserId, identityKey: toBase64(key) })
  await keepRooms(env, [contact])
}

export async function acceptContact(env: Env, { contactId }: RoomRow): Promise<void> {
  await keepRooms(env, [await env.api(contactsApi.accept, { contactId })])
}

export async function declineContact(env: Env, { id, contactId }: RoomRow): Promise<void> {
  await env.api(contactsApi.decline, { contactId })
  putRooms([], [id])
}
