import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import type { Crypto } from '../../worker/crypto.ts'
import { saveBook } from './book.ts'
import { reloadVerified, showDecision } from './verified.ts'

/** [Note: I2] */
export type Safety = Awaited<ReturnType<Crypto['safetyNumber']>>

/** `later`: the server did not respond, and the mark waits. */
export type Shared = 'now' | 'later'

export const groupsOf = (digits: string): string[] => digits.match(/\d{5}/g) ?? []

/** Reloads the marks too, since another tab may have changed one mark. */
export async function readSafety(env: Env, userId: string): Promise<Safety> {
  const safety = await env.crypto.safetyNumber({ userId })
  await reloadVerified(env)
  return safety
}

/** Sets or removes the mark; sending resumes. Throws CryptoFailure if the key is no longer the person's. */
export async function markVerified(env: Env, userId: string, identityKey: string, isVerified: boolean): Promise<void> {
  await keepCompared(env, userId, { identityKey, isVerified, differs: false })
}

/** The person saw another number: no own browser sends until the next comparison. Throws as `markVerified`. */
export async function markDifferent(env: Env, userId: string, identityKey: string): Promise<void> {
  await keepCompared(env, userId, { identityKey, isVerified: false, differs: true })
}

async function keepCompared(
  env: Env,
  userId: string,
  found: { identityKey: string; isVerified: boolean; differs: boolean },
): Promise<void> {
  await env.crypto.setVerified({ userId, ...found, at: env.clock().toISOString() })
  await showDecision(env, userId)
}

export async function shareMarks(env: Env): Promise<Shared> {
  try {
    await saveBook(env)
    return 'now'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return 'later'
  }
}

export type Comparison = 'same' | 'different' | 'not_a_code'

/** Equal numbers mark the key as verified at once. */
export async function compareScanned(env: Env, userId: string, { identityKey }: Safety, code: string): Promise<Comparison> {
  const comparison = await env.crypto.compareSafetyCode({ userId, code })
  if (comparison === 'same') await markVerified(env, userId, identityKey, true)
  return comparison
}
