import { fromBase64 } from '../../contract/bytes.ts'
import { type Contact, contactsApi } from '../../contract/contacts.ts'
import { notificationsApi } from '../../contract/notifications.ts'
import { onionAddress } from '../../contract/onion.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { type ContactRow, contactsStore, sorted } from './rows.ts'
import { verifiedAmong } from './verified.ts'

/** Reads the list again. What the rows already show stays until it is known better. */
export async function reloadContacts(env: Env): Promise<ContactRow[]> {
  try {
    const contacts = await env.api(contactsApi.list, {})
    const verified = await verifiedAmong(env, contacts)
    const before = new Map(contactsStore.getState().rows.map((row) => [row.id, row]))
    const rows = contacts.map((contact) => mergeRow(contact, before.get(contact.id), verified))
    contactsStore.setState({ status: 'ready', rows: sorted(rows) })
    await reloadUnreadTotal(env)
    return rows
  } catch (error) {
    if (error instanceof ApiError && contactsStore.getState().status === 'loading') contactsStore.setState({ status: 'failed' })
    throw error
  }
}

export async function reloadUnreadTotal(env: Env): Promise<void> {
  const { count } = await env.api(notificationsApi.unreadCount, {})
  contactsStore.setState({ unreadTotal: count })
}

/** Puts one contact of the server's answer in its row. */
export async function keepContact(env: Env, contact: Contact): Promise<ContactRow> {
  const verified = await verifiedAmong(env, [contact])
  const before = contactsStore.getState().rows.find(({ id }) => id === contact.id)
  const row = mergeRow(contact, before, verified)
  contactsStore.setState(({ rows }) => ({ rows: sorted([row, ...rows.filter(({ id }) => id !== row.id)]) }))
  return row
}

const mergeRow = (contact: Contact, before: ContactRow | undefined, verified: ReadonlySet<string>): ContactRow => ({
  ...contact,
  // The address is the key's fingerprint: it is made from the key that is used, not taken from the server.
  contactUser: { ...contact.contactUser, onionAddress: addressOf(contact.contactUser.identityKey) },
  preview: before?.preview ?? null,
  isTyping: before?.isTyping ?? false,
  keyChanged: !contact.contactUser.isDeleted && (before?.keyChanged ?? false),
  isVerified: verified.has(contact.contactUserId),
})

const addressOf = (identityKey: string | null) => identityKey && onionAddress(fromBase64(identityKey))
