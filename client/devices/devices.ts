import type { Contact } from '../../contract/contacts.ts'
import { devicesApi } from '../../contract/devices.ts'
import type { Meeting } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'

/**
 * Brings this device's knowledge of a contact's keys up to date: pins the first key, takes a newer manifest.
 * `wanted`: at least that version, when a message named one [Note: D2]. Throws CryptoFailure for a forged one.
 */
export async function meetContact(env: Env, contact: Contact, wanted = 0): Promise<Meeting> {
  const { contactUserId: userId, contactUser } = contact
  if (!contactUser.identityKey || contactUser.manifestVersion === 0)
    return env.crypto.meetPeer({ userId, identityKey: null, manifest: null })
  if (!(await env.crypto.isPinned(userId, contactUser.identityKey))) return 'key_changed'
  const known = (await env.crypto.peerVersions([userId]))[userId] ?? 0
  if (known >= Math.max(contactUser.manifestVersion, wanted)) return 'pinned'
  const { identityKey, manifest } = await env.api(devicesApi.manifest, { userId })
  const meeting = await env.crypto.meetPeer({ userId, identityKey, manifest })
  await saveBook(env)
  return meeting
}

/** Takes the account's newest manifest. False: this device was removed from the account. */
export async function meetOwnDevices(env: Env): Promise<boolean> {
  const { manifest } = await env.api(devicesApi.keys, {})
  return manifest !== null && (await env.crypto.meetSelf(manifest))
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
