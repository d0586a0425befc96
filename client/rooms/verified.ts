import type { Contact } from '../../contract/contacts.ts'
import type { Env } from '../env.ts'
import { contactsStore } from './rows.ts'

/**
 * Those among the contacts whose safety number was compared. The mark belongs to the key: where the server names another one,
 * it is not shown [Note: I1].
 */
export async function verifiedAmong(
  env: Env,
  contacts: Pick<Contact, 'contactUserId' | 'contactUser'>[],
): Promise<ReadonlySet<string>> {
  const marked = new Set(await env.crypto.verifiedUsers())
  const standing = contacts
    .filter(({ contactUserId, contactUser }) => marked.has(contactUserId) && !contactUser.isDeleted)
    .map(async ({ contactUserId: userId, contactUser }) => {
      const { isPinned } = await env.crypto.peerStanding({ userId, identityKey: contactUser.identityKey })
      return isPinned ? [userId] : []
    })
  return new Set((await Promise.all(standing)).flat())
}

/** Reads the marks of all rows again: one was set or taken away here, or the book brought news of another browser. */
export async function reloadVerified(env: Env): Promise<void> {
  const verified = await verifiedAmong(env, contactsStore.getState().rows)
  contactsStore.setState(({ rows }) => ({
    rows: rows.map((row) => {
      const isVerified = verified.has(row.contactUserId)
      return row.isVerified === isVerified ? row : { ...row, isVerified }
    }),
  }))
}
