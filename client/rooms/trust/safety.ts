import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import type { Crypto } from '../../worker/crypto.ts'
import { saveBook } from './book.ts'
import { reloadVerified, showDecision } from './verified.ts'

/** The safety number that two people compare, and whether they have compared it [Note: I2]. */
export type Safety = Awaited<ReturnType<Crypto['safetyNumber']>>

/** When the account's other browsers get a mark. `later` means that the server did not respond; the mark is sent once it does. */
export type Shared = 'now' | 'later'

/** Formats sixty digits as twelve groups of five for reading aloud. */
export const groupsOf = (digits: string): string[] => digits.match(/\d{5}/g) ?? []

/**
 * Returns the safety number from this browser's vault. Also reloads the marks on screen, because another tab may have changed
 * one.
 */
export async function readSafety(env: Env, userId: string): Promise<Safety> {
  const safety = await env.crypto.safetyNumber({ userId })
  await reloadVerified(env)
  return safety
}

/**
 * Marks the compared key as verified in this browser, or removes the mark. Sending goes on where it was stopped. Throws CryptoFailure
 * if it is no longer the person's key.
 */
export async function markVerified(env: Env, userId: string, identityKey: string, isVerified: boolean): Promise<void> {
  await keepCompared(env, userId, { identityKey, isVerified, differs: false })
}

/** The person saw another number: no browser of theirs sends to this account until they compare again. Throws as `markVerified`. */
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

/** Sends the marks to the account's other browsers. */
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

/** Compares the scanned number with the number on this screen. If they are equal, marks the key as verified at once. */
export async function compareScanned(env: Env, userId: string, { identityKey }: Safety, code: string): Promise<Comparison> {
  const comparison = await env.crypto.compareSafetyCode({ userId, code })
  if (comparison === 'same') await markVerified(env, userId, identityKey, true)
  return comparison
}
