import type { Rights, Tier } from '../contract/money/plans.ts'
import type { Bucket } from './chat/files/bucket.ts'
import type { MarkBatch } from './chat/messages/markBatch.ts'
import type { PushQueue } from './chat/push/queue.ts'
import type { Rings } from './chat/push/rings.ts'
import type { Batch } from './chat/rooms/batch.ts'
import type { Db } from './ground/db/connect.ts'
import type { Limits } from './ground/http/limits.ts'
import type { Onion } from './ground/onion/openOnion.ts'
import type { Mail } from './ground/outbound/mail.ts'
import type { Outbound } from './ground/outbound/outbound.ts'
import type { Hub } from './ground/realtime/hub.ts'
import type { Relay } from './ground/relay/openRelay.ts'
import type { Coins } from './money/coins/openCoins.ts'
import type { Card } from './money/payments/card.ts'
import type { Config } from './settings/config.ts'

type HmacKey = Uint8Array

/** What a verb is given. */
export interface Env {
  config: Config
  db: Db
  /** The only clock: tests set it. */
  clock: () => Date
  hub: Hub
  /** This process among those on one database. */
  node: string
  batch: Batch
  marks: MarkBatch
  /** Wakes people who have no page open here. */
  push: PushQueue
  rings: Rings
  bucket: Bucket
  /** Requests to addresses that users choose. */
  outbound: Outbound
  mail: Mail
  relay: Relay
  onion: Onion
  coins: Coins
  card: Card
  limits: Limits
  /** undefined: no live session has this SHA-256 (hex). */
  findSession: (sessionHash: string) => Promise<SignedInUser | undefined>
  /** Called before anything waits for the room's lock. */
  isMember: (roomId: string, userId: string) => Promise<boolean>
  /** For the salts of unknown and new usernames [Note: P1]. */
  saltKey: HmacKey
  /** For the names of deleted accounts [Note: I1]. */
  nameKey: HmacKey
  /** For the cards by which the guarantee was used. */
  guaranteeKey: HmacKey
  /** For what devices sign [Note: D4]. */
  challengeKey: HmacKey
  /** For the counters of the room list. */
  inboxKey: HmacKey
  uploadKey: HmacKey
  /** P-256 private key (RFC 8292). */
  vapidKey: Uint8Array
  /** Fails at named points in tests. Never set in production. */
  fault?: (point: string) => void | Promise<void>
}

export interface SignedInUser {
  id: string
  username: string
  displayName: string
  /** An expired plan counts as free. */
  subscriptionTier: Tier
  /** As stored: the database may hold plans that the code does not know. */
  rights: Rights
  isAdmin: boolean
  /** False: a program made the account, so no device can sign. */
  hasKeys: boolean
  /** In hex; it has signed for this session [Note: D4]. */
  deviceId: string | null
  /** [Note: D4] */
  isAsleep: boolean
  isProofDue: boolean
  /** Named only: it may fetch its unlock secret, and gets no other right from this. */
  namedDeviceId: string | null
  /** By password or passkey, in this session. */
  confirmedAt: Date | null
  /** SHA-256 (hex) of its token; the id in hub and table. */
  sessionHash: string
}
