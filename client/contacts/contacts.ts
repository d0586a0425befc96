import { toBase64 } from '../../contract/bytes.ts'
import { contactsApi } from '../../contract/contacts.ts'
import { publicKeyOfOnion } from '../../contract/onion.ts'
import { REFUSALS } from '../../contract/refusals.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { keepContact } from '../rooms/list.ts'
import { type ContactRow, changeRow, contactsStore } from '../rooms/rows.ts'
import { reloadVerified } from '../rooms/verified.ts'

/**
 * Adds by username, or by onion address where the text holds one: then the key in the address is pinned, and a
 * server that answers with another one is found out before anything is sent [Note: I1]. Throws ApiError.
 */
export async function addContact(env: Env, text: string): Promise<ContactRow> {
  const who = text.trim()
  if (!who.includes('.onion')) return keepContact(env, await env.api(contactsApi.add, { username: who.replace(/^@/, '') }))
  const key = publicKeyOfOnion(who)
  if (!key) throw new ApiError(400, 'invalid_onion_address', REFUSALS.invalid_onion_address.text)
  const contact = await env.api(contactsApi.add, { onionAddress: who.toLowerCase() })
  await env.crypto.pinAddress({ userId: contact.contactUserId, identityKey: toBase64(key) })
  return keepContact(env, contact)
}

/** The person decided for a contact's new key: the room begins anew under it. */
export async function acceptNewKey(env: Env, contact: ContactRow): Promise<void> {
  const { identityKey } = contact.contactUser
  if (!identityKey) return
  await env.crypto.trustKey({ userId: contact.contactUserId, identityKey })
  changeRow(
    ({ id }) => id === contact.id,
    () => ({ keyChanged: false }),
  )
  await reloadVerified(env)
}

export async function acceptContact(env: Env, contactId: string): Promise<void> {
  await keepContact(env, await env.api(contactsApi.accept, { contactId }))
}

export async function declineContact(env: Env, contactId: string): Promise<void> {
  await env.api(contactsApi.decline, { contactId })
  contactsStore.setState(({ rows }) => ({ rows: rows.filter((row) => row.id !== contactId) }))
}
