import type { Rights, Tier } from '../contract/plans.ts'
import type { Config } from './config.ts'
import type { Db } from './db/connect.ts'
import type { Limits } from './http/limits.ts'
import type { Hub } from './realtime/hub.ts'
import type { Batch } from './rooms/batch.ts'

/** What a verb is given. Tests make one with a clock of their own. */
export interface Env {
  config: Config
  db: Db
  /** The only clock: expiry can be tested. */
  clock: () => Date
  hub: Hub
  /** The way of every message into its room's log. */
  batch: Batch
  limits: Limits
  /** Who holds the session of this SHA-256 (hex), while it is good. */
  findSession: (sessionHash: string) => Promise<SignedInUser | undefined>
  /** True for a member of the room: asked before anything waits for the room's lock. */
  isMember: (roomId: string, userId: string) => Promise<boolean>
  /** HMAC key of the salts that unknown and new usernames get [Note: P1]. */
  saltKey: Uint8Array
  /** HMAC key of the names of deleted accounts [Note: I1]. */
  nameKey: Uint8Array
  /** HMAC key of what devices sign for their sessions [Note: D4]. */
  challengeKey: Uint8Array
  /** Called at named points, so that a test can fail there. Production has none. */
  fault?: (point: string) => void | Promise<void>
}

/** Who calls, as the session proves it. */
export interface SignedInUser {
  id: string
  username: string
  displayName: string
  /** The plan that counts now: one that has ended is free. */
  subscriptionTier: Tier
  /** What that plan allows, as the database says: it also knows plans of their own. */
  rights: Rights
  isAdmin: boolean
  /** false: made by a program; there is no device that could sign. */
  hasKeys: boolean
  /** The device that has signed for this session, hex; null: none has [Note: D4]. */
  deviceId: string | null
  /** The device that the session names, hex: it may ask for its unlock secret, and nothing else follows from it. */
  namedDeviceId: string | null
  /** SHA-256 of the session's token, hex: names the session in hub and sessions table. */
  sessionHash: string
}
