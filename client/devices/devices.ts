import { z } from 'zod'
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

/**
 * A message named a newer version of this account's own manifest [Note: D2]. `isOwnWord`: it was one of the account's own devices,
 * so the server must have that version. Throws CryptoFailure('own_rollback') where it has not.
 */
export async function hearOfOwnDevices(env: Env, userId: string, version: number, isOwnWord = false): Promise<void> {
  const question = isOwnWord ? `${userId} own word` : userId
  if (isAskedInVain(env, question)) return
  await meetOwnDevices(env)
  await noteAnswer(env, question, userId, version)
  if (isOwnWord && isAskedInVain(env, question))
    throw new CryptoFailure('own_rollback', 'The server returned an older list of your devices than they know themselves')
}

/** A message of the account's own named a newer book: the server is asked for it, once a minute while it has none [Note: I1]. */
export async function hearOfBook(env: Env, userId: string): Promise<void> {
  const question = `${userId} book`
  if (isAskedInVain(env, question)) return
  try {
    await checkBook(env)
  } catch (error) {
    if (error instanceof CryptoFailure) askedInVain.set(question, env.clock().getTime())
    throw error
  }
}

/** Merges the account's book. Throws CryptoFailure('book_rollback') where the server hides one that the account's devices named. */
export async function checkBook(env: Env): Promise<void> {
  // Another device may have saved one between question and answer.
  if ((await syncBook(env)) || (await syncBook(env))) return
  throw new CryptoFailure('book_rollback', 'The server returned an older address book than your other devices know')
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

/**
 * Takes the account's newest manifest. False: this device was removed from the account, as the account itself signed. Throws
 * CryptoFailure where the server shows none: its silence is no reason to give up this browser's keys.
 */
export async function meetOwnDevices(env: Env): Promise<boolean> {
  const { manifest, historySeals } = await env.api(devicesApi.keys, {})
  if (!manifest) throw new CryptoFailure('manifest', 'The server returned no device list of this account')
  return env.crypto.meetSelf(manifest, { historySeals })
}

/**
 * Merges the account's book from the server, then saves what this device knows beyond it. False: the account's devices have named a
 * newer one. Throws CryptoFailure('book_rollback') where the server goes on answering an older one than this device has seen.
 */
export async function syncBook(env: Env): Promise<boolean> {
  const isLevel = await mergeStored(env)
  await saveBook(env)
  return isLevel
}

async function mergeStored(env: Env): Promise<boolean> {
  try {
    return await env.crypto.mergeBook(await env.api(devicesApi.book, {}))
  } catch (error) {
    if (!(error instanceof CryptoFailure) || (error.code !== 'book_rollback' && error.code !== 'history_key')) throw error
    // Another device may have changed it between question and answer, and the account's keys with it.
    await meetOwnDevices(env)
    return await env.crypto.mergeBook(await env.api(devicesApi.book, {}))
  }
}

/** Saves the book if it changed. Another device that saved first is merged, and it is tried again. */
export async function saveBook(env: Env): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const sealed = await env.crypto.sealBook()
    if (!sealed) return
    try {
      await env.api(devicesApi.saveBook, sealed)
      return await env.crypto.bookSaved(sealed)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'stale_version') throw error
      await mergeStored(env)
    }
  }
}

/** Keeps enough one-time key packages on the server, so that contacts can open rooms while this device is away. */
export async function refillKeyPackages(env: Env): Promise<void> {
  const fresh = await env.crypto.refillKeyPackages(await env.api(devicesApi.keyPackagesLeft, {}))
  if (fresh) await env.api(devicesApi.addKeyPackages, fresh)
}
