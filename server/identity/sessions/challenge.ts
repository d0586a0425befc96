import { createHmac } from 'node:crypto'
import { encodeFields } from '../../../contract/ground/bytes.ts'
import type { Env } from '../../env.ts'

const WINDOW_MS = 2 * 60 * 1000

/** Derives 32 bytes in base64 [Note: D4] for two minutes. */
export const challengeOf = (env: Env, sessionHash: string): string => inWindow(env, sessionHash, 0).toString('base64')

/** The last window's challenge is valid too. */
export const currentChallenges = (env: Env, sessionHash: string): Buffer[] => [0, 1].map((ago) => inWindow(env, sessionHash, ago))

function inWindow(env: Env, sessionHash: string, ago: number): Buffer {
  const number = Math.floor(env.clock().getTime() / WINDOW_MS) - ago
  return createHmac('sha256', env.challengeKey)
    .update(encodeFields('conclave/challenge/v1', Buffer.from(sessionHash, 'hex'), String(number)))
    .digest()
}
