import type { KeyChange } from '../../../contract/account/devices.ts'
import type { Manifest } from '../../../contract/account/documents.ts'
import { sameBytes, toBase64 } from '../../../contract/ground/bytes.ts'
import { copyHistory, type HistoryKey, historyWrite, mergeHistory, readHistory } from '../keys/history.ts'
import { eraseKeyring, type OpenKeyring, rewrapKeyring, type Way } from '../keys/keyring.ts'
import type { Live } from '../keys/live.ts'
import { sealHistory } from '../keys/newhistory.ts'
import { signManifest, withName } from '../keys/newidentity.ts'
import type { HeldWays } from '../keys/ways.ts'
import { bookKeptWrites, type SealedUnder, sealBookUnder, withBook } from '../lists/book.ts'
import { withSealedTimes } from '../lists/listedDevices.ts'
import { startBookUnder } from '../lists/newbook.ts'
import { ownManifestWrite, peerOf } from '../lists/peers.ts'
import { dropForeignMarks } from '../lists/safety.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, keyPairOf } from '../primitives/seal.ts'
import { usernameOf } from '../vault/vaults.ts'
import type { Review } from './reviewAccount.ts'

/** Changes to make to the account's keys. `new` and `add` use the new way in that the worker holds. */
export interface KeyChangeRequest {
  /** Ids of devices; ids of devices that are gone already are ignored. */
  removeDevices?: string[]
  /** True if they were lost or stolen: verified marks that this browser did not set itself are then removed [Note: I1]. */
  areStolen?: boolean
  keepsHistory?: boolean
  /** `new` replaces the password; `add` lets the password open the keyring again; `remove` stops it from opening the keyring. */
  password?: 'new' | 'add' | 'remove'
  kit?: 'new' | 'remove'
  passkey?: 'new'
  /** Credential ids, base64url. */
  removePasskeys?: string[]
  /** Starts an empty book after this version of the server's, which nobody can read [Note: I1]. */
  startsBookAfter?: number
}

/** A change that the server has not accepted yet: it exists in the worker's memory only. */
export interface ChangeDraft {
  change: KeyChange
  /** The signed device list in `change`, parsed. */
  manifest: Manifest
  /** All history keys and the book under the newest, if the history key is new. */
  renewed: { history: HistoryKey[]; book: SealedUnder } | undefined
}

/**
 * Builds keyring and manifest one version up, with the requested changes [Note: K2, K3], and erases the review. Makes a new
 * history key if a device or a way in is removed, if history is switched on or off, or if the book is started anew. Seals that
 * key to every remaining device (also to this one, which may crash before it stores its own copy), and the book under it [Note:
 * H2]. Throws CryptoFailure: 'own_device', 'last_way', 'password', 'kit' or 'passkey' if the worker holds no such new way,
 * 'book_unread'.
 */
export async function draftChange(live: Live, review: Review, ways: HeldWays, request: KeyChangeRequest): Promise<ChangeDraft> {
  const { opened, manifest } = review
  const leaving = manifest.devices.map(({ id }) => id).filter((id) => request.removeDevices?.includes(id))
  if (leaving.includes(live.device.id))
    throw new CryptoFailure('own_device', 'This is the browser that you are using. Log out here')
  if (leaving.length > 0 && request.areStolen) await dropForeignMarks(live)
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
    const renewed = renewHistory ? await renew(live, next.secret.historyKeys, staying, request.startsBookAfter) : undefined
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
  /** The kit secret to send: null removes the kit, undefined leaves it unchanged. */
  kitSecret: string | null | undefined
}

async function changedWays({ secret }: OpenKeyring, ways: HeldWays, request: KeyChangeRequest): Promise<ChangedWays> {
  const { newKit } = ways
  // If the keyring has this kit already, the answer to the change that added it was lost, so the kit stays.
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

async function renew(live: Live, historyKeys: HistoryKey[], { devices }: Manifest, startsBookAfter: number | undefined) {
  const history = copyHistory(historyKeys)
  const newest = history.at(-1)
  if (!newest) throw new CryptoFailure('history_key', 'The keys of your account lack a history key')
  const announced = { historyKeyId: newest.id, historyKey: toBase64((await keyPairOf(newest.seed)).publicKey) }
  const seals = await Promise.all(devices.map((device) => sealHistory(history, live.identityKey, device)))
  const book = startsBookAfter === undefined ? sealBookUnder(live, newest) : startBookUnder(live, newest, startsBookAfter)
  return { history, announced, seals, book: await book }
}

/** Stores an accepted change in the vault: manifest, history keys and the book's version, in one transaction. */
export function keepChange(live: Live, { change, manifest, renewed }: ChangeDraft): Promise<void> {
  return withBook(live, async () => {
    const known = await peerOf(live, live.userId)
    const history = mergeHistory((await readHistory(live.vault)) ?? live.history, renewed?.history ?? [])
    await live.vault.write([
      // Another tab may have stored a newer manifest meanwhile.
      ...((known?.version ?? 0) < manifest.version
        ? [ownManifestWrite(live.userId, { identityKey: live.identityKey, signed: change.manifest, manifest }, known)]
        : []),
      ...(renewed ? [historyWrite(history), ...(await bookKeptWrites(live, renewed.book))] : []),
    ])
    live.history = (await readHistory(live.vault)) ?? live.history
  })
}

/** Overwrites the seeds of a draft that the vault has stored or that is given up. */
export const eraseChange = ({ renewed }: ChangeDraft): void => erase(...(renewed?.history ?? []).map(({ seed }) => seed))
