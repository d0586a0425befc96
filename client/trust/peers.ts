import { z } from 'zod'
import type { Contact } from '../../contract/contacts.ts'
import { devicesApi } from '../../contract/devices.ts'
import { CryptoFailure, type Meeting } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { isAskedInVain, noteAnswer } from './asked.ts'
import { saveBook, syncBook } from './book.ts'
import { meetOwnDevices } from './own.ts'

/**
 * Brings this device's knowledge of a contact's keys up to date: pins the first key, takes a newer manifest.
 * `named`: a version that a message named [Note: D2]. Throws CryptoFailure for a forged one.
 */
export async function meetContact(env: Env, contact: Contact, named = 0): Promise<Exclude<Meeting, 'book_unread'>> {
  const { contactUserId: userId, contactUser } = contact
  const { isPinned, version, isBookRead } = await env.crypto.peerStanding({ userId, identityKey: contactUser.identityKey })
  if (contactUser.isDeleted) {
    // Its keys are gone from the server. Whose the old messages are, the account's book says.
    if (!isBookRead) await syncBook(env)
    return version > 0 ? 'pinned' : 'no_device'
  }
  if (!isPinned) return 'key_changed'
  const newest = Math.max(contactUser.manifestVersion, named)
  const question = `${contact.userId} ${userId} ${named > contactUser.manifestVersion ? 'named' : newest}`
  if (version >= newest || isAskedInVain(env, question)) return version > 0 ? 'pinned' : 'no_device'
  const { identityKey, manifest } = await env.api(devicesApi.manifest, { userId })
  let meeting = await env.crypto.meetPeer({ userId, identityKey, manifest })
  if (meeting === 'book_unread') {
    // Whom the account's other browsers trust comes first: this one must not pin anybody else.
    await syncBook(env)
    meeting = await env.crypto.meetPeer({ userId, identityKey, manifest })
  }
  if (meeting === 'book_unread') throw new CryptoFailure('book_unread', 'The address book could not be read')
  if (meeting === 'pinned') await noteAnswer(env, question, userId, newest)
  await saveBook(env)
  return meeting
}

const namedShape = z.object({ manifestVersions: z.record(z.string(), z.number()) })

/** The server refused something because these newer device lists exist [Note: D3]: they are fetched, however often others were. */
export async function meetNamed(env: Env, contact: Contact, details: unknown): Promise<void> {
  const named = namedShape.safeParse(details).data?.manifestVersions ?? {}
  const { contactUser, contactUserId, userId } = contact
  const own = await env.crypto.peerStanding({ userId, identityKey: null })
  if ((named[userId] ?? 0) > own.version) await meetOwnDevices(env)
  const manifestVersion = Math.max(contactUser.manifestVersion, named[contactUserId] ?? 0)
  await meetContact(env, { ...contact, contactUser: { ...contactUser, manifestVersion } })
}
