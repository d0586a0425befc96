import { z } from 'zod'
import { type Keyring, keyringShape } from '../../../contract/account/documents.ts'
import { type Bytes, concat, fromBase64, fromUtf8, sameBytes, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf, keyPairOf, openFrom, openWith, publicKeyOf, randomBytes, sealTo, sealWith } from '../primitives/seal.ts'
import type { Bytes32, XWingPublicKey } from '../primitives/sizes.ts'
import { parseDocument, readDocument, signDocument } from './document.ts'

const KEYRING = 'conclave/keyring/v1'
/** Less than the shape takes, by nonce and tag. */
const PLAIN_MAX = LIMITS.keyringBytes - 28
const ACCOUNT_KEY = 'conclave/account-key/v1'
const WAY_PROOF = 'conclave/way-proof/v1'

type WayKind = 'password' | 'kit' | 'passkey'

const WORDS: Record<WayKind, string> = { password: 'password', kit: 'recovery kit', passkey: 'passkey' }

/** A way in [Note: K1]. `seed`: 32 bytes. */
export interface Way {
  id: string
  kind: WayKind
  seed: Uint8Array
  /** ISO 8601, for a kit or a passkey. */
  madeAt?: string
}

/** A way without its seed. */
interface KeptWay {
  id: string
  /** Newer builds may add kinds. */
  kind: string
  madeAt?: string | undefined
  publicKey: XWingPublicKey
  /** Needs the seed: a server could seal a forged keyring to `publicKey`, but cannot compute this [Note: K1]. */
  proof: Bytes32
}

interface KeyringSecret {
  identitySeed: Bytes32
  /** The newest last [Note: H2]. */
  historyKeys: { id: number; seed: Bytes32 }[]
  ways: KeptWay[]
}

/** Danger: store nothing of it, and call `eraseKeyring` [Note: K1]. */
export interface OpenKeyring {
  keyring: Keyring
  secret: KeyringSecret
  accountKey: Bytes32
}

interface KeyringChanges {
  /** Ids. `addWays` may have the same one: a changed password. */
  removeWays?: string[]
  addWays?: Way[]
  renewHistory?: boolean
}

/** Makes version 1. Throws 'way' if a seed was erased, RangeError without ways. */
export async function newKeyring(
  identity: { seed: Uint8Array },
  ways: Way[],
  historyKeys: { id: number; seed: Uint8Array }[] = [{ id: 1, seed: randomBytes(32) }],
): Promise<OpenKeyring & { signed: Signed }> {
  const identityKey = publicKeyOf(identity.seed)
  const secret: KeyringSecret = {
    identitySeed: concat(identity.seed),
    historyKeys: historyKeys.map(({ id, seed }) => ({ id, seed: concat(seed) })),
    ways: await Promise.all(ways.map((way) => keep(way, identityKey))),
  }
  return await lock(secret, 1)
}

/**
 * Throws 'way' (a wrong password), 'identity' (another account's, or its maker lacked this way), 'signature', 'seal',
 * 'malformed', 'newer_version'.
 */
export async function openKeyring(
  signed: Signed,
  way: { kind: WayKind; seed: Uint8Array },
  expectedIdentityKey?: Uint8Array,
): Promise<OpenKeyring> {
  const named = fromBase64(parseDocument(signed.content, KEYRING, keyringShape).identityKey)
  if (expectedIdentityKey && !sameBytes(named, expectedIdentityKey)) {
    throw new CryptoFailure('identity', 'These keys are of another identity')
  }
  const keyring = readDocument(signed, KEYRING, keyringShape, named)
  const publicKey = toBase64((await keyPairOf(way.seed)).publicKey)
  const entry = keyring.ways.find((candidate) => candidate.kind === way.kind && candidate.publicKey === publicKey)
  if (!entry) throw new CryptoFailure('way', `This ${WORDS[way.kind]} does not open your account`)
  const accountKey = await openFrom(way.seed, ACCOUNT_KEY, fromBase64(entry.sealedKey), named, entry.id)
  const secret = readSecret(await openWith(accountKey, KEYRING, fromBase64(keyring.sealed), named, String(keyring.version)))
  if (!sameBytes(publicKeyOf(secret.identitySeed), named)) throw new CryptoFailure('identity', 'These keys hold another identity')
  if (!sameWays(keyring, secret)) throw new CryptoFailure('malformed', 'These keys name other ways in than they hold')
  const proof = await proofOf(way.seed, named, entry.id)
  if (!secret.ways.some((kept) => kept.id === entry.id && sameBytes(kept.proof, proof))) {
    throw new CryptoFailure('identity', 'These keys were not made with this way in')
  }
  return { keyring, secret, accountKey }
}

/** Seals one version up under a new account key [Note: K2]. Needs no seeds of ways that stay. */
export async function rewrapKeyring(
  opened: OpenKeyring,
  changes: KeyringChanges = {},
): Promise<OpenKeyring & { signed: Signed }> {
  const { identitySeed, historyKeys, ways } = opened.secret
  const identityKey = publicKeyOf(identitySeed)
  const isStaying = ({ id }: { id: string }) => !changes.removeWays?.includes(id)
  const staying = ways.filter(isStaying).map((way) => ({ ...way, proof: concat(way.proof) }))
  const added = await Promise.all((changes.addWays ?? []).map((way) => keep(way, identityKey)))
  const newest = Math.max(...historyKeys.map((key) => key.id))
  const kept = historyKeys.map((key) => ({ ...key, seed: concat(key.seed) }))
  const renewed = changes.renewHistory ? [{ id: newest + 1, seed: randomBytes(32) }] : []
  const secret: KeyringSecret = {
    ...opened.secret,
    identitySeed: concat(identitySeed),
    historyKeys: [...kept, ...renewed],
    ways: [...staying, ...added],
  }
  const { keyring } = opened
  return await lock(secret, keyring.version + 1, { ...keyring, ways: keyring.ways.filter(isStaying) })
}

/** Danger: first copy the history keys that the device keeps. */
export function eraseKeyring({ secret, accountKey }: OpenKeyring): void {
  erase(accountKey, secret.identitySeed, ...secret.historyKeys.map((key) => key.seed), ...secret.ways.map((way) => way.proof))
}

/** `before`: the previous one without the removed ways, whose unknown fields stay [Note: F2]. */
async function lock(held: KeyringSecret, version: number, before?: Keyring): Promise<OpenKeyring & { signed: Signed }> {
  const secret = fitting(held)
  const ids = new Set(secret.ways.map((way) => way.id))
  if (ids.size !== secret.ways.length || ids.size === 0)
    throw new RangeError('A keyring has at least one way in, each with its own id')
  const identityKey = publicKeyOf(secret.identitySeed)
  const accountKey = randomBytes(32)
  const plain = utf8(writeSecret(secret))
  const keyring: Keyring = {
    ...before,
    v: 1,
    version,
    identityKey: toBase64(identityKey),
    sealed: toBase64(await sealWith(accountKey, KEYRING, plain, identityKey, String(version))),
    ways: await Promise.all(
      secret.ways.map(async ({ id, kind, madeAt, publicKey }) => ({
        ...before?.ways.find((way) => way.id === id),
        id,
        kind,
        ...(madeAt !== undefined && { madeAt }),
        publicKey: toBase64(publicKey),
        sealedKey: toBase64(await sealTo(publicKey, ACCOUNT_KEY, accountKey, identityKey, id)),
      })),
    ),
  }
  erase(plain)
  return { keyring, secret, accountKey, signed: signDocument(secret.identitySeed, KEYRING, keyring) }
}

/** The oldest history keys go where there is no room for the newest: each change of keys fits [Note: K1]. */
function fitting(secret: KeyringSecret): KeyringSecret {
  const { historyKeys } = secret
  let from = 0
  const left = () => ({ ...secret, historyKeys: historyKeys.slice(from) })
  while (from < historyKeys.length - 1 && utf8(writeSecret(left())).length > PLAIN_MAX) from += 1
  erase(...historyKeys.slice(0, from).map(({ seed }) => seed))
  return from === 0 ? secret : left()
}

async function keep({ id, kind, madeAt, seed }: Way, identityKey: Uint8Array): Promise<KeptWay> {
  // Another form of the page has erased the seed.
  if (seed.every((byte) => byte === 0)) throw new CryptoFailure('way', `Enter the ${WORDS[kind]} again`)
  const [{ publicKey }, proof] = await Promise.all([keyPairOf(seed), proofOf(seed, identityKey, id)])
  return { id, kind, ...(madeAt !== undefined && { madeAt }), publicKey, proof }
}

const proofOf = (seed: Uint8Array, identityKey: Uint8Array, wayId: string) => hkdf(seed, WAY_PROOF, identityKey, wayId)

function sameWays(keyring: Keyring, secret: KeyringSecret): boolean {
  const inside = secret.ways.map(({ id, kind, madeAt, publicKey }) => [id, kind, madeAt, toBase64(publicKey)])
  const outside = keyring.ways.map(({ id, kind, madeAt, publicKey }) => [id, kind, madeAt, publicKey])
  return JSON.stringify(inside) === JSON.stringify(outside)
}

const bytes = z.base64().transform((text) => fromBase64(text))
const secretShape = z.looseObject({
  identitySeed: bytes.refine((seed) => seed.length === 32),
  historyKeys: z
    .array(z.looseObject({ id: z.number().int().positive(), seed: bytes.refine((seed) => seed.length === 32) }))
    .min(1),
  ways: z.array(
    z.looseObject({
      id: z.string(),
      kind: z.string(),
      madeAt: z.string().optional(),
      publicKey: bytes,
      proof: bytes,
    }),
  ),
})

function writeSecret({ identitySeed, historyKeys, ways, ...more }: KeyringSecret): string {
  return JSON.stringify({
    ...more,
    identitySeed: toBase64(identitySeed),
    historyKeys: historyKeys.map((key) => ({ ...key, seed: toBase64(key.seed) })),
    ways: ways.map((way) => ({ ...way, publicKey: toBase64(way.publicKey), proof: toBase64(way.proof) })),
  })
}

function readSecret(plain: Bytes): KeyringSecret {
  const secret = parseDocument(fromUtf8(plain), KEYRING, secretShape)
  erase(plain)
  return secret
}
