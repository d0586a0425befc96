import { z } from 'zod'
import { type Bytes, encodeFields } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf, openWith, randomBytes, sealWith } from '../primitives/seal.ts'

const WRAP = 'conclave/vault-wrap/v1'

const bytes = z.instanceof(Uint8Array)

/** [Note: V3] Kinds of newer builds stay. */
export const wrapShape = z.looseObject({
  /** `none`, `password`, `passkey`; `offline-` before the last two. */
  kind: z.string(),
  /** 32 random bytes: a removed wrap must open no other. */
  localKey: bytes,
  sealed: bytes,
  /** base64url. */
  id: z.string().optional(),
  /** A password's, 16 bytes. */
  salt: bytes.optional(),
})
export type Wrap = z.infer<typeof wrapShape>

/** 32 bytes: HKDF(`conclave/local-lock/v1`) of Argon2id's or the passkey's output. */
export interface LockSecret {
  kind: 'password' | 'passkey'
  secret: Bytes
  id?: string
  salt?: Bytes
}

export const NO_LOCK = { kind: 'none', secret: new Uint8Array() }

export const NO_SERVER = new Uint8Array()

/** Returns the secret as an offline one. */
export const offlineOf = ({ kind, ...rest }: LockSecret) => ({ ...rest, kind: `${OFFLINE}${kind}` })

export const isOfflineWrap = ({ kind }: Pick<Wrap, 'kind'>): boolean => kind.startsWith(OFFLINE)

export const OFFLINE = 'offline-'

type Secret = Pick<LockSecret, 'secret' | 'id' | 'salt'> & { kind: string }

/** Seals the row key; an offline wrap has an empty unlock secret. */
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

/** Throws 'seal' for a wrong secret. */
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

/** Returns the row key, or undefined. */
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
