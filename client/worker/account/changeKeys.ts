import type { KeyChange } from '../../../contract/account/devices.ts'
import type { Manifest } from '../../../contract/account/documents.ts'
import { sameBytes, toBase64 } from '../../../contract/ground/bytes.ts'
import { copyHistory, type HistoryKey, historyWrite, mergeHistory, readHistory } from '../keys/history.ts'
import { eraseKeyring, type OpenKeyring, rewrapKeyring, type Way } from '../keys/keyring.ts'
import type { Live } from '../keys/live.ts'
import { sealHistory } from '../keys/newhistory.ts'
import { signManifest, withName } from '../keys/newidentity.ts'
import type { HeldWays } from '../keys/ways.ts'
import { bookKeptWrites, type SealedUnder, withBook } from '../lists/book.ts'
import { dropForeignAddress } from '../lists/hideAddress.ts'
import { withSealedTimes } from '../lists/listedDevices.ts'
import { changedBook, startBookUnder } from '../lists/newbook.ts'
import { ownManifestWrite, peerOf } from '../lists/peers.ts'
import { dropForeignMarks } from '../lists/safety.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, keyPairOf } from '../primitives/seal.ts'
import { usernameOf } from '../vault/vaults.ts'
import type { Review } from './reviewAccount.ts'

/** `new` and `add` use the worker's new way. */
export interface KeyChangeRequest {
  removeDevices?: string[]
  /** [Note: I1] Marks of other browsers go. */
  areStolen?: boolean
  keepsHistory?: boolean
  /** `add` and `remove` concern the password's way into the keyring. */
  password?: 'new' | 'add' | 'remove'
  kit?: 'new' | 'remove'
  passkey?: 'new'
  /** Credential ids, base64url. */
  removePasskeys?: string[]
  /** The unreadable version before an empty book [Note: I1]. */
  startsBookAfter?: number
}

export interface ChangeDraft {
  change: KeyChange
  manifest: Manifest
  /** Set if the history key is new. */
  renewed: { history: HistoryKey[]; book: SealedUnder } | undefined
}

/**
 * Builds keyring and manifest one version up [Note: K2, K3]; erases the review. A removed device or way, switched history or a
 * new book renews the history key [Note: H2]. Throws 'own_device', 'last_way', 'password', 'kit', 'passkey', 'book_unread'.
 */
export async function draftChange(live: Live, review: Review, ways: HeldWays, request: KeyChangeRequest): Promise<ChangeDraft> {
  const { opened, manifest } = review
  const leaving = manifest.devices.map(({ id }) => id).filter((id) => request.removeDevices?.includes(id))
  if (leaving.includes(live.device.id))
    throw new CryptoFailure('own_device', 'This is the browser that you are using. Log out here')
  if (leaving.length > 0 && request.areStolen) {
    await dropForeignMarks(live)
    await dropForeignAddress(live)
  }
  const keepsHistory = request.keepsHistory ?? manifest.keepsHistory
  const { removeWays, addWays, kitSecret } = await changedWays(opened, ways, request)
  const renewHistory =
    request.startsBookAfter !== undefined ||
    leaving.length > 0 ||
    keepsHistory !== manifest.keepsHistory ||
    opened.secret.ways.some(({ id }) => removeWays.includes(id))
  const next = await rewrapKeyring(opened, { removeWays, addWays, renewHistory })
  try {
    const version = manifest.version + 1
    const devices = manifest.devices.filter(({ id }) => !leaving.includes(id))
    const staying: Manifest = {
      ...withName(manifest, manifest.username ?? (await usernameOf(live.userId))),
      version,
      devices: await withSealedTimes(devices, opened.secret.historyKeys),
      removed: [...manifest.removed, ...leaving],
      removedAt: { ...manifest.removedAt, ...Object.fromEntries(leaving.map((id) => [id, version])) },
      keepsHistory,
      keyringVersion: next.keyring.version,
    }
    const renewed = renewHistory ? await renew(live, next.secret.historyKeys, staying, request) : undefined
    const changed: Manifest = { ...staying, ...renewed?.announced }
    const change: KeyChange = {
      keyring: next.signed,
      manifest: signManifest(opened.secret.identitySeed, changed),
      historySeals: renewed?.seals ?? [],
      ...(renewed && { book: renewed.book.stored }),
      ...(kitSecret !== undefined && { kitSecret }),
    }
    eraseKeyring(opened)
    return { change, manifest: changed, renewed }
  } finally {
    eraseKeyring(next)
  }
}

interface ChangedWays {
  removeWays: string[]
  addWays: Way[]
  /** null removes the kit; undefined keeps the kit. */
  kitSecret: string | null | undefined
}

async function changedWays({ secret }: OpenKeyring, ways: HeldWays, request: KeyChangeRequest): Promise<ChangedWays> {
  const { newKit } = ways
  // An earlier change with this kit succeeded unanswered.
  const isKitThere = request.kit === 'new' && newKit !== undefined && (await holds(secret.ways, newKit))
  const addWays = [
    ...(request.password === 'new' || request.password === 'add' ? [aside(ways.newPassword, 'password')] : []),
    ...(request.kit === 'new' && !isKitThere ? [aside(newKit, 'kit')] : []),
    ...(request.passkey ? [aside(ways.newPasskey, 'passkey')] : []),
  ]
  const removeWays = [
    ...(request.password ? ['password'] : []),
    ...(request.kit && !isKitThere ? ['kit'] : []),
    ...(request.removePasskeys ?? []).map((id) => `passkey:${id}`),
    ...addWays.map(({ id }) => id),
  ]
  if (addWays.length === 0 && secret.ways.every(({ id }) => removeWays.includes(id)))
    throw new CryptoFailure('last_way', 'Nothing else opens your account. Make a recovery kit or a passkey first')
  const kitSecret = !request.kit || isKitThere ? undefined : request.kit === 'new' ? newKit?.kitSecret : null
  return { removeWays, addWays, kitSecret }
}

const ASIDE = { password: 'Enter the new password again', kit: 'Make the recovery kit again', passkey: 'Make the passkey again' }

function aside(way: Way | undefined, kind: Way['kind']): Way {
  if (!way) throw new CryptoFailure(kind, ASIDE[kind])
  return way
}

async function holds(ways: OpenKeyring['secret']['ways'], { id, seed }: Way): Promise<boolean> {
  const { publicKey } = await keyPairOf(seed)
  return ways.some((way) => way.id === id && sameBytes(way.publicKey, publicKey))
}

async function renew(
  live: Live,
  historyKeys: HistoryKey[],
  { devices }: Manifest,
  { startsBookAfter, removeDevices = [], areStolen = false }: KeyChangeRequest,
) {
  const history = copyHistory(historyKeys)
  const newest = history.at(-1)
  if (!newest) throw new CryptoFailure('history_key', 'The keys of your account lack a history key')
  const announced = { historyKeyId: newest.id, historyKey: toBase64((await keyPairOf(newest.seed)).publicKey) }
  const seals = await Promise.all(devices.map((device) => sealHistory(history, live.identityKey, device)))
  const isOwn = removeDevices.length > 0 && areStolen
  const book = startsBookAfter === undefined ? changedBook(live, newest, isOwn) : startBookUnder(live, newest, startsBookAfter)
  return { history, announced, seals, book: await book }
}

/** Stores the accepted change in one transaction. */
export function keepChange(live: Live, { change, manifest, renewed }: ChangeDraft): Promise<void> {
  return withBook(live, async () => {
    const known = await peerOf(live, live.userId)
    const history = mergeHistory((await readHistory(live.vault)) ?? live.history, renewed?.history ?? [])
    await live.vault.write([
      // Another tab may have stored more.
      ...((known?.version ?? 0) < manifest.version
        ? [ownManifestWrite(live.userId, { identityKey: live.identityKey, signed: change.manifest, manifest }, known)]
        : []),
      ...(renewed ? [historyWrite(history), ...(await bookKeptWrites(live, renewed.book))] : []),
    ])
    live.history = (await readHistory(live.vault)) ?? live.history
  })
}

export const eraseChange = ({ renewed }: ChangeDraft): void => erase(...(renewed?.history ?? []).map(({ seed }) => seed))
