import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import {
  base64,
  base64Of,
  counterShape,
  done,
  instant,
  longBase64,
  nothing,
  seqShape,
  signedShape,
  userId,
} from '../ground/shapes.ts'
import { deviceId } from './documents.ts'

export const keyPackagesShape = z.object({
  oneTime: z.array(base64(8 * 1024)).max(LIMITS.keyPackagesOneTime),
  lastResort: base64(8 * 1024).optional(),
})

/** Keyring and manifest of a new account or device, signed by the identity key [Note: K3]. */
export const accountKeysShape = z.object({
  keyring: signedShape,
  manifest: signedShape,
  deviceId,
  keyPackages: keyPackagesShape,
})
export type AccountKeys = z.infer<typeof accountKeysShape>

/** The account's sealed book and the device that wrote it [Note: I1]. */
const bookShape = z.object({
  /** 0 before the first book. */
  version: counterShape,
  historyKeyId: counterShape,
  sealed: base64(LIMITS.bookBytes).nullable(),
  /** The device whose leaf key signed the book; null for a book from before books were signed. */
  deviceId: deviceId.nullable(),
  signature: base64Of(64).nullable(),
})
export type SealedBook = z.infer<typeof bookShape>

/** A book as a device of the account uploads it. */
export const signedBookShape = bookShape.extend({
  sealed: longBase64(LIMITS.bookBytes),
  deviceId,
  signature: base64Of(64),
})
export type SignedBook = z.infer<typeof signedBookShape>

/** The writer under which the server stores a book that no device has signed. */
export const UNSIGNED_BOOK = 'unsigned'
export const bookWriter = deviceId.or(z.literal(UNSIGNED_BOOK))

/** One stored book, and the other writers of stored books, newest first: a reader that rejects the newest book tries them. */
export const bookAnswerShape = bookShape.extend({
  others: z.array(z.object({ writer: bookWriter, version: counterShape })).max(LIMITS.devicesMax + 1),
})

/** A new history seed, sealed to one of the account's devices [Note: H2]. */
const historySealShape = z.object({ historyKeyId: counterShape.positive(), sealed: base64(2048) })

/** The seed of a new history key, sealed to each device that stays. */
export const historySealsShape = z.array(historySealShape.extend({ deviceId })).max(LIMITS.devicesMax)

/** The secret by which a recovery kit authenticates to the server: 32 bytes, base64url. It decrypts nothing by itself. */
export const kitSecret = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

/**
 * A change of the account's keys: keyring and manifest each one version up, signed by the identity key, with all data that
 * depends on them [Note: K2, K3, H2]. The signature proves that a way in was opened: no device stores the identity key.
 */
export const keyChangeShape = z.object({
  keyring: signedShape,
  manifest: signedShape,
  /** The seed of a new history key for every remaining device; empty if the history key stays. */
  historySeals: historySealsShape,
  /** The book under a new history key, one version up; absent if the history key stays. */
  book: signedBookShape.optional(),
  /** The secret of a new recovery kit; null if the account no longer has a kit; absent if the kit stays. */
  kitSecret: kitSecret.nullable().optional(),
})
export type KeyChange = z.infer<typeof keyChangeShape>

/** The challenge that a device signs for a session. It is valid for this window of two minutes and the next [Note: D4]. */
const challenge = base64Of(32)

/** A leaf key's signature over origin, user id, device id and challenge [Note: D4]. */
export const sessionProof = base64Of(64)

/** The server's half of the vault key, given to a live session that names this device [Note: V1]. */
export const unlockShape = z.object({
  deviceId,
  unlockSecret: base64(32),
  /** Null if a device has signed for this session in the last hours. */
  challenge: challenge.nullable(),
})
export type Unlock = z.infer<typeof unlockShape>

export const devicesApi = {
  enrol: endpoint({
    method: 'POST',
    path: '/api/devices',
    access: 'signed_in',
    assurance: 'session',
    rates: ['keys'],
    summary: 'Adds the browser of this session to the account, by a keyring and manifest one version up.',
    input: accountKeysShape.extend({ proof: sessionProof }),
    output: unlockShape,
    bodyLimitBytes: LIMITS.keysCallBytes,
  }),
  unlock: endpoint({
    method: 'GET',
    path: '/api/devices/unlock',
    access: 'signed_in',
    assurance: 'session',
    whileAsleep: true,
    summary: 'The unlock secret of the device that this session names, and a challenge where it is to sign.',
    input: nothing,
    output: unlockShape,
  }),
  challenge: endpoint({
    method: 'GET',
    path: '/api/devices/challenge',
    access: 'signed_in',
    assurance: 'session',
    whileAsleep: true,
    summary: 'What a device signs for this session, good for two minutes at least.',
    input: nothing,
    output: z.object({ challenge }),
  }),
  prove: endpoint({
    method: 'POST',
    path: '/api/devices/proof',
    access: 'signed_in',
    assurance: 'session',
    whileAsleep: true,
    rates: ['proofs'],
    summary: 'A device of the account signs for this session, which speaks for it for a day. The Origin header is signed too.',
    input: z.object({ deviceId, proof: sessionProof }),
    output: done,
  }),
  keys: endpoint({
    method: 'GET',
    path: '/api/account/keys',
    access: 'signed_in',
    assurance: 'session',
    summary:
      'The caller’s own keyring and manifest, null where the account has no keys yet, and new history keys for this session’s device.',
    input: nothing,
    output: z.object({
      keyring: signedShape.nullable(),
      manifest: signedShape.nullable(),
      historySeals: z.array(historySealShape).max(LIMITS.historySealsPerDevice),
    }),
  }),
  changeKeys: endpoint({
    method: 'PUT',
    path: '/api/account/keys',
    access: 'signed_in',
    assurance: 'session',
    rates: ['keys'],
    summary: 'Removes devices, changes ways in, or switches history, all at once. Else refuses with stale_version.',
    input: keyChangeShape.extend({
      /** The authSecret where the password becomes a way in again: it is checked. */
      password: z.string().max(LIMITS.passwordMax).optional(),
    }),
    output: z.object({ version: seqShape }),
    bodyLimitBytes: LIMITS.bookCallBytes + LIMITS.keysCallBytes,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/devices',
    access: 'signed_in',
    summary: 'What the server knows of the account’s devices; names are in the manifest, sealed.',
    input: nothing,
    output: z
      .array(z.object({ id: deviceId, addedAt: instant, lastSeenAt: instant, isCurrent: z.boolean() }))
      .max(LIMITS.devicesMax),
  }),
  manifest: endpoint({
    method: 'GET',
    path: '/api/users/:userId/manifest',
    access: 'signed_in',
    summary:
      'The manifest of the caller or of someone in the caller’s contacts: the version asked for where it is kept, else the newest that the caller may know, whose version is told.',
    input: z.object({ userId, version: z.coerce.number().int().positive().max(2_147_483_647).optional() }),
    output: z.object({ userId, identityKey: base64(32).nullable(), manifest: signedShape.nullable(), version: seqShape }),
  }),
  book: endpoint({
    method: 'GET',
    path: '/api/book',
    access: 'signed_in',
    assurance: 'device',
    summary:
      'The account’s newest sealed book (pins, aliases, room generations), or with `writer` the newest that this device wrote.',
    input: z.object({ writer: bookWriter.optional() }),
    output: bookAnswerShape,
    answerLimitBytes: LIMITS.bookCallBytes,
  }),
  saveBook: endpoint({
    method: 'PUT',
    path: '/api/book',
    access: 'signed_in',
    assurance: 'device',
    rates: ['book'],
    summary:
      'Replaces the book when `version` is the stored version plus one, else refuses with stale_version. One above 3 MiB must be smaller than before.',
    input: signedBookShape,
    output: z.object({ version: seqShape }),
    bodyLimitBytes: LIMITS.bookCallBytes,
  }),
}
