import type { Frame } from '../../../contract/chat/content.ts'
import { everyAccount } from '../group/members.ts'
import type { Live } from '../keys/live.ts'
import { noteNamedBook, readBook, seenVersion } from '../lists/book.ts'
import { peerOf } from '../lists/peers.ts'
import type { Reading } from './archive.ts'

/** The versions that verified messages name beside their text [Note: D2, I1]. */
export interface NamedVersions {
  /** Newer manifest versions by user id, unverified: a sender may name any version. */
  manifests: Map<string, number>
  /** The newest versions that the account's own devices name, which the server then cannot hide. */
  own: { manifest: number; book: number; bookBy: string }
}

/** Newer versions to fetch from the server; 0 means none. */
export interface NewerVersions {
  newerManifests: Record<string, number>
  /** The account's own manifest and book, as one of its own devices named them. */
  ownManifest: number
  ownBook: number
}

export const noVersions = (): NamedVersions => ({ manifests: new Map(), own: { manifest: 0, book: 0, bookBy: '' } })

/** Notes the versions that a message names, after its signature was verified. */
export function noteNamedVersions(
  named: NamedVersions,
  { live, accounts }: Reading,
  senderId: string,
  { statement, deviceId }: { statement: Frame; deviceId: string },
): void {
  for (const { userId, version } of everyAccount(accounts)) {
    const newest = statement.manifests[userId] ?? 0
    if (newest > Math.max(version, named.manifests.get(userId) ?? 0)) named.manifests.set(userId, newest)
  }
  // A removed device can claim any version, so its claim about its own account is ignored.
  if (senderId !== live.userId || accounts.own.manifest.removed.includes(deviceId)) return
  const { own } = named
  own.manifest = Math.max(own.manifest, statement.manifests[live.userId] ?? 0)
  if ((statement.book ?? 0) > own.book) Object.assign(own, { book: statement.book, bookBy: deviceId })
}

/** The versions that are newer than this device's. Stores that a newer book exists [Note: I1]. */
export async function newerVersions(live: Live, { manifests, own }: NamedVersions): Promise<NewerVersions> {
  const isNews = own.book > 0 && seenVersion(await readBook(live)) < own.book
  if (isNews) {
    const removed = (await peerOf(live, live.userId))?.manifest.removed ?? []
    await noteNamedBook(live, { version: own.book, deviceId: own.bookBy }, removed)
  }
  return {
    newerManifests: Object.fromEntries(manifests),
    ownManifest: manifests.has(live.userId) ? own.manifest : 0,
    ownBook: isNews ? own.book : 0,
  }
}
