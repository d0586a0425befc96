import type { Contact } from '../../contract/contacts.ts'
import type { Heard } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { hearOfBook } from './book.ts'
import { hearOfOwnDevices } from './own.ts'
import { meetContact } from './peers.ts'

/** Fetches what messages name and this device does not have yet: newer device lists, a newer book [Note: D2, I1]. */
export async function hear(env: Env, contact: Contact, { newerManifests, ownManifest, ownBook }: Heard): Promise<void> {
  for (const [userId, version] of Object.entries(newerManifests)) {
    if (userId === contact.contactUserId) await meetContact(env, contact, version)
    else if (version > ownManifest) await hearOfOwnDevices(env, userId, version)
  }
  if (ownManifest > 0) await hearOfOwnDevices(env, contact.userId, ownManifest, true)
  if (ownBook > 0) await hearOfBook(env, contact.userId)
}
