import type { Contact } from '../../contract/contacts.ts'
import { devicesApi } from '../../contract/devices.ts'
import { CryptoFailure, type Meeting } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'

/** For how long the server is not asked again for a manifest that it did not have. */
const ASK_AGAIN_MS = 60_000

/** When a question was asked in vain. Anybody may name any version in a message, and a server any in a contact list. */
const askedInVain = new Map<string, number>()

const isAskedInVain = (env: Env, question: string): boolean =>
  env.clock().getTime() - (askedInVain.get(question) ?? Number.NEGATIVE_INFINITY) < ASK_AGAIN_MS

async function noteAnswer(env: Env, question: string, userId: string, wanted: number): Promise<void> {
  const { version } = await env.crypto.peerStanding({ userId, identityKey: null })
  if (version < wanted) askedInVain.set(question, env.clock().getTime())
}

/**
 * Brings this device's knowledge of a contact's keys up to date: pins the first key, takes a newer manifest.
 * `named`: a version that a message named [Note: D2]. Throws CryptoFailure for a forged one.
 */
export async function meetContact(env: Env, contact: Contact, named = 0): Promise<Exclude<Meeting, 'book_unread'>> {
  const { contactUserId: userId, contactUser } = contact
  const { isPinned, version } = await env.crypto.peerStanding({ userId, identityKey: contactUser.identityKey })
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

/** A message named a newer version of this account's own manifest [Note: D2]. */
export async function hearOfOwnDevices(env: Env, userId: string, version: number): Promise<void> {
  if (isAskedInVain(env, userId)) return
  await meetOwnDevices(env)
  await noteAnswer(env, userId, userId, version)
}

/**
 * Takes the account's newest manifest. False: this device was removed from the account, as the account itself signed. Throws
 * CryptoFailure where the server shows none: its silence is no reason to give up this browser's keys.
 */
export async function meetOwnDevices(env: Env): Promise<boolean> {
  const { manifest } = await env.api(devicesApi.keys, {})
  if (!manifest) throw new CryptoFailure('manifest', 'The server returned no device list of this account')
  return env.crypto.meetSelf(manifest)
}

/** Merges the account's book from the server, then saves what this device knows beyond it. */
export async function syncBook(env: Env): Promise<void> {
  await env.crypto.mergeBook(await env.api(devicesApi.book, {}))
  await saveBook(env)
}

/** Saves the book if it changed. Another device that saved first is merged, and it is tried again. */
export async function saveBook(env: Env): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const sealed = await env.crypto.sealBook()
    if (!sealed) return
    try {
      const { version } = await env.api(devicesApi.saveBook, sealed)
      return await env.crypto.bookSaved(version, sealed.sealed)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'stale_version') throw error
      await env.crypto.mergeBook(await env.api(devicesApi.book, {}))
    }
  }
}

/** Keeps enough one-time key packages on the server, so that contacts can open rooms while this device is away. */
export async function refillKeyPackages(env: Env): Promise<void> {
  const fresh = await env.crypto.refillKeyPackages(await env.api(devicesApi.keyPackagesLeft, {}))
  if (fresh) await env.api(devicesApi.addKeyPackages, fresh)
}
