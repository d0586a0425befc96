import type { z } from 'zod'
import { devicesApi } from '../../contract/devices.ts'
import { CryptoFailure } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { isPaused, pauseQuestion } from './asking.ts'
import { refreshOwnDevices } from './own.ts'

/**
 * Merges the account's book from the server, then saves what this device knows beyond it. False: the account's devices have named a
 * newer one. Throws CryptoFailure('book_rollback') where the server goes on answering an older one than this device has seen.
 */
export async function syncBook(env: Env): Promise<boolean> {
  const isLevel = await mergeStored(env)
  await saveBook(env)
  return isLevel
}

/** What a newer device list of the account, or another question, may settle. */
const MAY_BE_LATE = ['book_rollback', 'history_key', 'book_signer', 'book_spoiled']

async function mergeStored(env: Env): Promise<boolean> {
  try {
    return await env.crypto.mergeBook(await env.api(devicesApi.book, {}))
  } catch (error) {
    if (!(error instanceof CryptoFailure) || !MAY_BE_LATE.includes(error.code)) throw error
    // Another device may have changed it between question and answer, and the account's keys with it.
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
 * The server keeps a book that no device of the account wrote. The newest other one that holds goes in its place, merged with what
 * this browser knows. Always throws CryptoFailure: 'book_spoiled', or 'book_unread' where nothing holds and this browser knows nothing.
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
      "The server kept an address book that your account did not write. This browser's takes its place",
    )
  throw new CryptoFailure('book_unread', 'The address book that the server keeps does not open')
}

/** Saves the book if it changed. Another device that saved first is merged, and it is tried again. */
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

/** Fetches a newer book that one of the account's own devices named: once a minute while the server has none [Note: I1]. */
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

/** Merges the account's book. Throws CryptoFailure('book_rollback') where the server hides one that the account's devices named. */
export async function checkBook(env: Env): Promise<void> {
  // Another device may have saved one between question and answer.
  if ((await syncBook(env)) || (await syncBook(env))) return
  throw new CryptoFailure('book_rollback', 'The server returned an older address book than your other devices know')
}
