import type { Crypto } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { saveBook } from './book.ts'
import { reloadVerified } from './verified.ts'

/** The number that two people compare, and if they did [Note: I2]. */
export type Safety = Awaited<ReturnType<Crypto['safetyNumber']>>

/** When the account's other browsers get a mark. `later`: the server did not answer; it is sent once it does. */
export type Shared = 'now' | 'later'

/** Sixty digits as they are read aloud: twelve groups of five. */
export const groupsOf = (digits: string): string[] => digits.match(/\d{5}/g) ?? []

/** The number as this browser knows it. The marks on screen are read again too: another tab may have set one. */
export async function readSafety(env: Env, userId: string): Promise<Safety> {
  const safety = await env.crypto.safetyNumber({ userId })
  await reloadVerified(env)
  return safety
}

/** Marks the key that was compared, or takes the mark away, in this browser. Throws CryptoFailure where it is no longer the person's key. */
export async function markVerified(env: Env, userId: string, identityKey: string, isVerified: boolean): Promise<void> {
  await env.crypto.setVerified({ userId, identityKey, isVerified })
  await reloadVerified(env)
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

/** Compares what the camera read with the number on this screen. Where it is the same, the key is marked at once. */
export async function compareScanned(env: Env, userId: string, { identityKey }: Safety, code: string): Promise<Comparison> {
  const comparison = await env.crypto.compareSafetyCode({ userId, code })
  if (comparison === 'same') await markVerified(env, userId, identityKey, true)
  return comparison
}
