import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { encodeFields } from '../../../contract/ground/bytes.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import * as store from './store.ts'

const LIFE_MS = 2 * 60 * 1000
const TIME_BYTES = 8
const RANDOM_BYTES = 16
const DROPPED_AT_ONCE = 1000

export interface Purpose {
  act: 'register' | 'second factor' | 'sign in' | 'step up'
  /** '' for a sign-in. */
  userId: string
}

/** Joins time, 16 random bytes and an HMAC over both and the purpose, base64url [Note: K1]. */
export function newChallenge(env: Env, purpose: Purpose): string {
  const head = Buffer.alloc(TIME_BYTES + RANDOM_BYTES)
  head.writeBigUInt64BE(BigInt(env.clock().getTime()))
  randomBytes(RANDOM_BYTES).copy(head, TIME_BYTES)
  return Buffer.concat([head, macOf(env, head, purpose)]).toString('base64url')
}

/** True for two minutes. */
export function isCurrent(env: Env, challenge: string, purpose: Purpose): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  const head = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES)
  const mac = macOf(env, head, purpose)
  if (bytes.length !== head.length + mac.length || !timingSafeEqual(bytes.subarray(head.length), mac)) return false
  return env.clock().getTime() - Number(head.readBigUInt64BE()) <= LIFE_MS
}

/** Returns false for a used challenge. */
export async function takeChallenge(env: Env, tx: Queryable, challenge: string): Promise<boolean> {
  const expiresAt = new Date(env.clock().getTime() + LIFE_MS)
  return await store.insertChallenge(tx, createHash('sha256').update(challenge).digest(), expiresAt)
}

/** One step of a job: true if more are left. */
export const dropUsedChallenges = async (env: Env): Promise<boolean> =>
  (await store.deleteChallenges(env.db, env.clock(), DROPPED_AT_ONCE)) === DROPPED_AT_ONCE

const macOf = (env: Env, head: Uint8Array, { act, userId }: Purpose): Buffer =>
  createHmac('sha256', env.challengeKey)
    .update(encodeFields('conclave/passkey-challenge/v1', head, act, userId))
    .digest()
