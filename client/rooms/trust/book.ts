import type { z } from 'zod'
import { createStore } from 'zustand/vanilla'
import { devicesApi } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { refreshOwnDevices } from './ownDevices.ts'
import { isPaused, pauseQuestion } from './pauseQuestion.ts'

/**
 * Merges the account's book from the server, then saves entries that only this device has. Returns false if the account's devices
 * have named a newer book. Throws CryptoFailure('book_rollback') if the server keeps returning an older book than this device has
 * seen.
 */
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

/** This page's first reading of the book. */
let first: { env: Env; reading: Promise<boolean> } | undefined

/** Merges the book once a page, as `syncBook` does: whoever needs it meanwhile waits for the same answer. A failure is tried again. */
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

/** Forgets what this page has read, when the account is closed. */
export function resetBook(): void {
  first = undefined
  resetLostBook()
}

/**
 * True while this browser has never read the account's book and none of those that the server returns holds: nobody's key is
 * known here, and nothing is sent [Note: I1].
 */
export const lostBookStore = createStore<{ isLost: boolean }>(() => ({ isLost: false }))

export const resetLostBook = (): void => lostBookStore.setState({ isLost: false })

/** Failures that mean that no book which the server returned holds. A form that only newer builds know is none of them. */
const NONE_HOLDS = ['book_unread', 'book_rollback', 'history_key']

async function noteLost(env: Env, error: unknown): Promise<void> {
  if (!(error instanceof CryptoFailure)) return
  lostBookStore.setState({ isLost: NONE_HOLDS.includes(error.code) && !(await env.crypto.isBookRead()) })
}

/** Failures that a newer device list of the account, or a second request, may resolve. */
const MAY_BE_LATE = ['book_rollback', 'history_key', 'book_signer', 'book_spoiled']

async function mergeStored(env: Env): Promise<boolean> {
  try {
    return await env.crypto.mergeBook(await env.api(devicesApi.book, {}))
  } catch (error) {
    if (!(error instanceof CryptoFailure) || !MAY_BE_LATE.includes(error.code)) throw error
    // Another device may have changed the book, and the account's keys with it, during the request.
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
 * Replaces a book on the server that no device of the account wrote. The replacement is the newest other book that verifies,
 * merged with this browser's entries. Always throws CryptoFailure: 'book_spoiled', or 'book_unread' if no book verifies and this
 * browser has no entries.
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

/** Saves the book if it has changed. Merges and retries if another device saved first. */
export async function saveBook(env: Env): Promise<void> {
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

/**
 * Fetches a newer book that one of the account's own devices named; at most once a minute while the server has none [Note: I1].
 */
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

/**
 * Merges the account's book. Throws CryptoFailure('book_rollback') if the server withholds a book that the account's devices
 * named.
 */
export async function checkBook(env: Env): Promise<void> {
  // Retry once, because another device may have saved a book during the request.
  if ((await syncBook(env)) || (await syncBook(env))) return
  throw new CryptoFailure('book_rollback', 'The server returned an older address book than your other devices know')
}
