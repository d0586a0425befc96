import type { z } from 'zod'
import { createStore } from 'zustand/vanilla'
import { devicesApi } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { inTurn } from '../../net/inTurn.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { refreshOwnDevices } from './ownDevices.ts'
import { isPaused, pauseQuestion } from './pauseQuestion.ts'

/** Returns false if own devices have named a newer book. Throws CryptoFailure('book_rollback') for a persistently older book. */
export async function syncBook(env: Env): Promise<boolean> {
  try {
    const isLevel = await mergeStored(env)
    resetLostBook()
    await saveBook(env)
    return isLevel
  } catch (error) {
    await noteLost(env, error)
    throw error
  }
}

let first: { env: Env; reading: Promise<boolean> } | undefined

/** Reads the book at most until the first success; simultaneous callers share the request. */
export function firstBook(env: Env): Promise<boolean> {
  if (first?.env === env) return first.reading
  const reading = syncBook(env)
  const mine = { env, reading }
  first = mine
  reading.catch(() => {
    if (first === mine) first = undefined
  })
  return reading
}

export function resetBook(): void {
  first = undefined
  resetLostBook()
}

/**
 * True if this browser has never read a book and none on the server verifies: no key is known, and nothing is sent [Note: I1].
 */
export const lostBookStore = createStore<{ isLost: boolean }>(() => ({ isLost: false }))

export const resetLostBook = (): void => lostBookStore.setState({ isLost: false })

/** No returned book verifies. A form known only to newer builds is no such failure. */
const NONE_HOLDS = ['book_unread', 'book_rollback', 'history_key']

async function noteLost(env: Env, error: unknown): Promise<void> {
  if (!(error instanceof CryptoFailure)) return
  lostBookStore.setState({ isLost: NONE_HOLDS.includes(error.code) && !(await env.crypto.isBookRead()) })
}

/** A newer device list or a second request may resolve these failures. */
const MAY_BE_LATE = ['book_rollback', 'history_key', 'book_signer', 'book_spoiled']

async function mergeStored(env: Env): Promise<boolean> {
  try {
    return await env.crypto.mergeBook(await env.api(devicesApi.book, {}))
  } catch (error) {
    if (!(error instanceof CryptoFailure) || !MAY_BE_LATE.includes(error.code)) throw error
    // Another device may have changed the account's keys.
    await refreshOwnDevices(env)
  }
  const stored = await env.api(devicesApi.book, {})
  try {
    return await env.crypto.mergeBook(stored)
  } catch (error) {
    if (error instanceof CryptoFailure && (error.code === 'book_signer' || error.code === 'book_spoiled'))
      await replaceSpoiled(env, stored)
    throw error
  }
}

/**
 * Replaces a book that no own device wrote with the newest book that verifies and this browser's entries. Always throws
 * CryptoFailure: 'book_spoiled', or 'book_unread' with nothing to merge.
 */
async function replaceSpoiled(env: Env, { others, ...spoiled }: z.output<typeof devicesApi.book.output>): Promise<never> {
  for (const { writer } of others) {
    const older = await env.api(devicesApi.book, { writer })
    if (await env.crypto.replaceBook({ spoiled, older }))
      throw new CryptoFailure(
        'book_spoiled',
        'The server kept an address book that your account did not write. An older one takes its place',
      )
  }
  if (await env.crypto.replaceBook({ spoiled, older: null }))
    throw new CryptoFailure(
      'book_spoiled',
      'The server kept an address book that your account did not write. This browser’s takes its place',
    )
  throw new CryptoFailure('book_unread', 'The address book that the server keeps does not open')
}

/** Merges if another device saved first. Of simultaneous calls one saves for all. */
export const saveBook = (env: Env): Promise<void> => inTurn(env, 'book', () => saveChanges(env))

async function saveChanges(env: Env): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const sealed = await env.crypto.sealBook()
    if (!sealed) return
    try {
      await env.api(devicesApi.saveBook, sealed)
      return await env.crypto.bookSaved(sealed)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'stale_version') throw error
      await mergeStored(env)
    }
  }
}

/** Fetches a book that an own device named; at most one failed request a minute [Note: I1]. */
export async function fetchNamedBook(env: Env, ownId: string): Promise<void> {
  const question = `${ownId} book`
  if (isPaused(env, question)) return
  try {
    await checkBook(env)
  } catch (error) {
    if (error instanceof CryptoFailure) pauseQuestion(env, question)
    throw error
  }
}

/** Throws CryptoFailure('book_rollback') if the server withholds a named book. */
export async function checkBook(env: Env): Promise<void> {
  // Another device may have saved a book meanwhile.
  if ((await syncBook(env)) || (await syncBook(env))) return
  throw new CryptoFailure('book_rollback', 'The server returned an older address book than your other devices know')
}
