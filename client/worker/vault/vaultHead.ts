import { z } from 'zod'
import { type Bytes, encodeFields } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf, lockedKey, openWith } from '../primitives/seal.ts'
import { answerOf, committed } from './database.ts'
import { exclusive } from './exclusive.ts'
import { type LockSecret, NO_LOCK, newWrap, openAnyWrap, openWrap, type Wrap, wrapShape } from './wraps.ts'

const FIRST_KEY = 'conclave/vault/v1'
const FIRST_CHECK = 'conclave/vault-check/v1'

export const HEAD = 'head'

const bytes = z.instanceof(Uint8Array)

/** Minutes without input; `hidden`: when no page is visible. */
export const lockAfterShape = z.union([z.literal('hidden'), z.literal(5), z.literal(15), z.literal(60)])
export type LockAfter = z.infer<typeof lockAfterShape>

const firstShape = z.object({ format: z.literal(1), deviceId: z.string(), localKey: bytes, check: bytes })

const headShape = z.looseObject({
  format: z.literal(2),
  deviceId: z.string(),
  wraps: z.array(wrapShape),
  /** An empty wrap tells a wrong unlock secret from a wrong password. */
  check: wrapShape,
  lockAfter: lockAfterShape.optional(),
})
export type VaultHead = z.infer<typeof headShape>
export type AnyHead = VaultHead | z.infer<typeof firstShape>

export const NO_HEAD = { format: 0 } as const
const noneShape = z.object({ format: z.literal(NO_HEAD.format) })

const anyShape = z.discriminatedUnion('format', [firstShape, headShape, noneShape])

const SHUT =
  'The server returned another secret than the one this browser’s keys are sealed with. The keys stay here, sealed, with all that is in them.'

/** Reads a head without a key; undefined where only marks were kept. Throws 'vault_shut'. */
export async function findHead(database: IDBDatabase): Promise<AnyHead | undefined> {
  const head = anyShape.safeParse(await answerOf(database.transaction('meta').objectStore('meta').get(HEAD)))
  if (head.success) return head.data.format === NO_HEAD.format ? undefined : head.data
  throw new CryptoFailure('vault_shut', 'The vault of this browser is damaged. Nothing of it was deleted', { cause: head.error })
}

/** Makes a head; with `lock`, each secret opens. */
export async function newHead(
  rowKey: Uint8Array,
  deviceId: string,
  unlockSecret: Uint8Array,
  lock?: { secrets: LockSecret[]; after: LockAfter },
): Promise<VaultHead> {
  const secrets = lock ? lock.secrets : [NO_LOCK]
  const wraps: Wrap[] = []
  for (const secret of secrets) wraps.push(await newWrap(rowKey, unlockSecret, deviceId, secret))
  const check = await newWrap(new Uint8Array(), unlockSecret, deviceId, { ...NO_LOCK, kind: 'check' })
  return { format: 2, deviceId, wraps, check, ...(lock && { lockAfter: lock.after }) }
}

/** Returns 32 bytes, which the caller erases. Throws 'vault_shut', 'vault_locked' or 'lock_secret'. */
export async function rowKeyOf(head: AnyHead, unlockSecret: Uint8Array, secrets: LockSecret[]): Promise<Bytes> {
  if (head.format === 1) return firstRowKey(head, unlockSecret)
  const { wraps, check, deviceId } = head
  await openWrap(check, unlockSecret, deviceId, NO_LOCK.secret).catch(shut)
  const rowKey = await openAnyWrap(wraps, unlockSecret, deviceId, [NO_LOCK, ...secrets])
  if (rowKey) return rowKey
  if (secrets.length === 0) throw new CryptoFailure('vault_locked', 'This browser is locked')
  throw new CryptoFailure('lock_secret', 'This does not open the lock of this browser')
}

async function firstRowKey({ localKey, check, deviceId }: z.infer<typeof firstShape>, unlockSecret: Uint8Array): Promise<Bytes> {
  const both = encodeFields(localKey, unlockSecret)
  const rowKey = await hkdf(both, FIRST_KEY)
  erase(both)
  await openWith(await lockedKey(rowKey), FIRST_CHECK, check, deviceId).catch(shut)
  return rowKey
}

function shut(cause: unknown): never {
  throw new CryptoFailure('vault_shut', SHUT, { cause })
}

/** Replaces the head in one strict transaction: a crash leaves the old or the new. */
export const changeHead = (
  database: IDBDatabase,
  userId: string,
  build: (head: AnyHead) => Promise<VaultHead | undefined>,
): Promise<void> =>
  exclusive(`conclave/${userId}/head`, async () => {
    const head = await findHead(database)
    const next = head && (await build(head))
    if (!next) return
    const transaction = database.transaction('meta', 'readwrite', { durability: 'strict' })
    const end = committed(transaction)
    transaction.objectStore('meta').put(next, HEAD)
    await end
  })
