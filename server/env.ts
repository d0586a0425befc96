import type { Rights, Tier } from '../contract/money/plans.ts'
import type { Bucket } from './chat/files/bucket.ts'
import type { PushQueue } from './chat/push/queue.ts'
import type { Batch } from './chat/rooms/batch.ts'
import type { Db } from './ground/db/connect.ts'
import type { Limits } from './ground/http/limits.ts'
import type { Mail } from './ground/outbound/mail.ts'
import type { Outbound } from './ground/outbound/outbound.ts'
import type { Hub } from './ground/realtime/hub.ts'
import type { Coins } from './money/coins/openCoins.ts'
import type { Card } from './money/payments/card.ts'
import type { Config } from './settings/config.ts'

/** The dependencies of a verb. Tests build one with their own clock. */
export interface Env {
  config: Config
  db: Db
  /** The only clock, so that tests can control expiry. */
  clock: () => Date
  hub: Hub
  /** Id of this server process, among those on one database. */
  node: string
  /** The queue that every message takes to its room's log. */
  batch: Batch
  /** Those who may have to be woken, because something has come and they have no page open here. */
  push: PushQueue
  /** The bytes of uploaded files. */
  bucket: Bucket
  /** Requests to addresses that users choose. */
  outbound: Outbound
  /** Mail by the operator's server. */
  mail: Mail
  /** The chains and prices of coins. */
  coins: Coins
  /** The card provider. */
  card: Card
  limits: Limits
  /** Returns the user of the live session with this SHA-256 (hex). */
  findSession: (sessionHash: string) => Promise<SignedInUser | undefined>
  /** True for a member of the room. Called before anything waits for the room's lock. */
  isMember: (roomId: string, userId: string) => Promise<boolean>
  /** HMAC key of the salts that unknown and new usernames get [Note: P1]. */
  saltKey: Uint8Array
  /** HMAC key of the names of deleted accounts [Note: I1]. */
  nameKey: Uint8Array
  /** HMAC key of what devices sign for their sessions [Note: D4]. */
  challengeKey: Uint8Array
  /** HMAC key of the addresses that take the bytes of files. */
  uploadKey: Uint8Array
  /** The P-256 private key by which push services know this server (RFC 8292). */
  vapidKey: Uint8Array
  /** Called at named points, where a test can make it fail. Not set in production. */
  fault?: (point: string) => void | Promise<void>
}

/** The caller, identified by the session. */
export interface SignedInUser {
  id: string
  username: string
  displayName: string
  /** The effective plan: an expired plan counts as free. */
  subscriptionTier: Tier
  /** The rights of that plan as stored in the database, which may hold plans that the code does not know. */
  rights: Rights
  isAdmin: boolean
  /** False if a program made the account: then no device can sign. */
  hasKeys: boolean
  /** Hex id of the device that has signed for this session; null if none has [Note: D4]. */
  deviceId: string | null
  /** Hex id of the device that the session names. It may fetch its unlock secret and has no other rights from this. */
  namedDeviceId: string | null
  /** When the person last confirmed in this session that they are here; null if never. */
  confirmedAt: Date | null
  /** SHA-256 of the session's token, hex. It identifies the session in the hub and the sessions table. */
  sessionHash: string
}
