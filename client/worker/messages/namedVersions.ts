import type { Frame } from '../../../contract/chat/content.ts'
import { everyAccount } from '../group/members.ts'
import type { Live } from '../keys/live.ts'
import { noteNamedBook, readBook, seenVersion } from '../lists/book.ts'
import { peerOf } from '../lists/peers.ts'
import type { Reading } from './archive.ts'

/** [Note: D2, I1] */
export interface NamedVersions {
  /** Unverified: a sender may name any version. */
  manifests: Map<string, number>
  own: { manifest: number; book: number; bookBy: string }
}

export interface NewerVersions {
  newerManifests: Record<string, number>
  ownManifest: number
  ownBook: number
}

export const noVersions = (): NamedVersions => ({ manifests: new Map(), own: { manifest: 0, book: 0, bookBy: '' } })

/** Notes a verified message's versions. */
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
  // A removed device can claim any version.
  if (senderId !== live.userId || accounts.own.manifest.removed.includes(deviceId)) return
  const { own } = named
  own.manifest = Math.max(own.manifest, statement.manifests[live.userId] ?? 0)
  if ((statement.book ?? 0) > own.book) Object.assign(own, { book: statement.book, bookBy: deviceId })
}

/** Returns newer versions; stores a newer book's [Note: I1]. */
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
