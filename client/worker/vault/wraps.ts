import { z } from 'zod'
import { type Bytes, encodeFields } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf, openWith, randomBytes, sealWith } from '../primitives/seal.ts'

const WRAP = 'conclave/vault-wrap/v1'

const bytes = z.instanceof(Uint8Array)

/** The row key, sealed for one way of opening the vault [Note: V3]. Kinds that a newer build has added stay in the head. */
export const wrapShape = z.looseObject({
  /** `none`: no lock; `password`; `passkey`. The last two with `offline-` before open without the unlock secret. */
  kind: z.string(),
  /** 32 random bytes for this wrap alone: a removed wrap must leave nothing that opens another one. */
  localKey: bytes,
  sealed: bytes,
  /** Only for a passkey: its credential id, base64url. */
  id: z.string().optional(),
  /** Only for a password: the 16-byte salt that it was stretched with. */
  salt: bytes.optional(),
})
export type Wrap = z.infer<typeof wrapShape>

/** A secret for a locked vault: 32 bytes of HKDF(`conclave/local-lock/v1`) of Argon2id's or the passkey's output. */
export interface LockSecret {
  kind: 'password' | 'passkey'
  secret: Bytes
  id?: string
  salt?: Bytes
}

/** The secret of a wrap without a lock, which the server's half alone opens. */
export const NO_LOCK = { kind: 'none', secret: new Uint8Array() }

/** The unlock secret of a wrap that opens without the server. */
export const NO_SERVER = new Uint8Array()

/** The same secret as one that opens the vault without the server. */
export const offlineOf = ({ kind, ...rest }: LockSecret) => ({ ...rest, kind: `${OFFLINE}${kind}` })

export const isOfflineWrap = ({ kind }: Pick<Wrap, 'kind'>): boolean => kind.startsWith(OFFLINE)

/** Begins the kinds of wraps that open without the server. */
export const OFFLINE = 'offline-'

type Secret = Pick<LockSecret, 'secret' | 'id' | 'salt'> & { kind: string }

/** Seals the row key. A wrap that opens without the server has an empty unlock secret, and is of a kind of its own. */
export async function newWrap(
  rowKey: Uint8Array,
  unlockSecret: Uint8Array,
  deviceId: string,
  { secret, ...named }: Secret,
): Promise<Wrap> {
  const localKey = randomBytes(32)
  const key = await wrapKey(named.kind, localKey, unlockSecret, secret)
  const sealed = await sealWith(key, WRAP, rowKey, named.kind, deviceId)
  erase(key)
  return { ...named, localKey, sealed }
}

/** Opens a wrap. Throws CryptoFailure('seal') if one of the two secrets is wrong. */
export async function openWrap(
  { kind, localKey, sealed }: Wrap,
  unlockSecret: Uint8Array,
  deviceId: string,
  secret: Uint8Array,
): Promise<Bytes> {
  const key = await wrapKey(kind, localKey, unlockSecret, secret)
  try {
    return await openWith(key, WRAP, sealed, kind, deviceId)
  } finally {
    erase(key)
  }
}

/** The row key from the first of these secrets that opens a wrap; undefined if none does. */
export async function openAnyWrap(
  wraps: Wrap[],
  unlockSecret: Uint8Array,
  deviceId: string,
  secrets: Secret[],
): Promise<Bytes | undefined> {
  for (const { kind, id, secret } of secrets) {
    for (const wrap of wraps.filter((one) => one.kind === kind && one.id === id)) {
      try {
        return await openWrap(wrap, unlockSecret, deviceId, secret)
      } catch (error) {
        if (!(error instanceof CryptoFailure)) throw error
      }
    }
  }
  return undefined
}

async function wrapKey(kind: string, localKey: Uint8Array, unlockSecret: Uint8Array, secret: Uint8Array): Promise<Bytes> {
  const all = encodeFields(localKey, unlockSecret, secret)
  const key = await hkdf(all, WRAP, kind)
  erase(all)
  return key
}
