import type { KeyChange } from '../../../contract/account/devices.ts'
import type { Keyring, Manifest } from '../../../contract/account/documents.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { putBook } from './book.ts'
import { idsOf, type ReadDocuments } from './documents.ts'
import type { LockedAccount } from './locked.ts'
import * as store from './store.ts'
import { deleteArchiveKeys, markNeedsCommit } from './store-rooms.ts'

interface Documents {
  keyring: Keyring
  manifest: Manifest
}

/** Empty if the key stays. */
export type Renewal = Pick<KeyChange, 'historySeals' | 'book'>

/** Throws `history_key_required`: a person shut out would read on [Note: H2]. */
export function requireNewHistoryKey(before: Documents, { keyring, manifest }: Documents): void {
  if (manifest.historyKeyId !== before.manifest.historyKeyId) return
  const listed = new Set(idsOf(manifest))
  const stands = new Set(keyring.ways.map(nameOf))
  const shutsOut =
    idsOf(before.manifest).some((id) => !listed.has(id)) || before.keyring.ways.some((way) => !stands.has(nameOf(way)))
  if (shutsOut || manifest.keepsHistory !== before.manifest.keepsHistory) throw new Refusal('history_key_required')
}

const nameOf = ({ id, publicKey }: Keyring['ways'][number]): string => `${id} ${publicKey}`

/** The manifest's devices must be stored already. Throws Refusal, also for a renewal under the old key. */
export async function saveHistory(
  env: Env,
  tx: Queryable,
  account: LockedAccount,
  before: Manifest,
  { manifest }: Pick<ReadDocuments, 'manifest'>,
  { historySeals, book }: Renewal,
): Promise<void> {
  const { historyKeyId } = manifest
  if (historyKeyId === before.historyKeyId) {
    if (historySeals.length > 0 || book) throw invalid('The history key is not new')
    return
  }
  const staying = idsOf(manifest)
  const sealedTo = new Set(historySeals.map((seal) => seal.deviceId))
  const fits = sealedTo.size === historySeals.length && sealedTo.size === staying.length
  if (!fits || staying.some((id) => !sealedTo.has(id)) || historySeals.some((seal) => seal.historyKeyId !== historyKeyId))
    throw invalid('A new history key is sealed once to each device that stays')
  if (book?.historyKeyId !== historyKeyId) throw invalid('The book lies under the new history key')
  await putBook(tx, account.id, manifest, book)
  await store.insertHistorySeals(
    tx,
    historySeals.map((seal) => ({ userId: account.id, ...seal })),
  )
  await store.deleteOldSeals(tx, account.id, historyKeyId - LIMITS.historySealsPerDevice)
  if (before.keepsHistory && !manifest.keepsHistory) await deleteArchiveKeys(tx, account.id)
  await env.limits.take('historyKeys', account.id)
  // Old keys read on until a commit [Note: H2].
  await markNeedsCommit(tx, account.id)
}

const invalid = (text: string): Refusal => new Refusal('invalid_input', { text })
