import { PLANS } from '../../../contract/money/plans.ts'
import { type Party, printedShape, RECEIPT_LIMITS, type Receipt } from '../../../contract/money/receipts.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import type { CoinSettings } from '../../settings/coinsettings.ts'
import { tierOf } from '../plans/plans.ts'
import * as store from './store.ts'

const AT_ONCE = 100
const LEDGER = 'ledger'

/** Writes what is due, in the order of the ledger. Counter and receipts are written together, so no number is left out. A piece of a job. */
export async function writeReceipts({ db, clock, config }: Pick<Env, 'db' | 'clock' | 'config'>): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const from = await store.takeCounter(tx, LEDGER)
    // Who has it writes them.
    if (from === undefined) return false
    const entries = await store.listEntries(tx, from, AT_ONCE)
    for (const entry of entries) await writeReceipt(tx, clock(), config, entry)
    const last = entries.at(-1)
    if (last) await store.saveCounter(tx, LEDGER, last.seq)
    return entries.length === AT_ONCE
  })
}

const kinds = printedShape.shape.kind

async function writeReceipt(
  tx: Queryable,
  now: Date,
  { selling, coins }: Env['config'],
  entry: store.LinkedEntry,
): Promise<void> {
  const { seq, source, amountCents, taxCents, billingPeriod, reference, endsAt } = entry
  const { data: kind } = kinds.safeParse(entry.kind)
  if (kind === undefined || source === 'operator' || amountCents === 0) return
  const isThere = await store.holdAccount(tx, entry.userId)
  const paid = entry.paidSeq === null ? undefined : await store.findReceipt(tx, entry.paidSeq)
  const isTest = source === 'card' ? entry.isLive !== true : isTestChain(coins, entry.coin)
  await store.insertReceipt(tx, {
    ...{ seq, number: await takeNumber(tx, now, isTest), userId: isThere ? entry.userId : null, isTest, issuedAt: now },
    printed: {
      ...{ kind, source, amountCents, taxCents, billingPeriod, reference, refersTo: paid?.number ?? null },
      ...{ paidAt: instantOf(entry.createdAt), startsAt: instantOf(entry.startsAt), endsAt: endsAt && instantOf(endsAt) },
      plan: paid?.printed.plan ?? entry.packageName ?? PLANS[tierOf(entry.tier)].name,
      coin: entry.coin && { currency: entry.coin, units: entry.coinUnits, rate: entry.rate },
      seller: selling.seller ?? null,
      // A credit note names whom the payment’s receipt names.
      buyer: paid ? paid.printed.buyer : (isThere && (await detailsOf(tx, entry.userId))) || null,
    },
  })
}

const SERIES_OF_TESTS = 'TEST-'

/** Returns the next number, such as `2026-000001`. */
async function takeNumber(tx: Queryable, now: Date, isTest: boolean): Promise<string> {
  const series = `${isTest ? SERIES_OF_TESTS : ''}${now.getUTCFullYear()}`
  return `${series}-${String(await store.nextNumber(tx, series)).padStart(6, '0')}`
}

/** Coins are worth nothing there. */
const isTestChain = ({ bitcoin, ethereum }: CoinSettings, coin: store.LinkedEntry['coin']): boolean =>
  coin === 'bitcoin' ? (bitcoin?.network ?? 'mainnet') !== 'mainnet' : (ethereum?.chainId ?? 1) !== 1

const instantOf = (at: string): string => new Date(at).toISOString()

/** Writes what was paid a moment ago first. */
export async function listReceipts(env: Env, { id }: SignedInUser, before: number | undefined) {
  if (before === undefined && (await store.isBehind(env.db, LEDGER))) await writeReceipts(env)
  return await readPage(env.db, { userId: id, before })
}

export async function readPage(
  db: Queryable,
  filter: { userId?: string; number?: string | undefined; before?: number | undefined },
): Promise<{ receipts: Receipt[]; hasMore: boolean }> {
  const rows = await store.listReceipts(db, { ...filter, limit: RECEIPT_LIMITS.page + 1 })
  return { receipts: rows.slice(0, RECEIPT_LIMITS.page).map(shownReceipt), hasMore: rows.length > RECEIPT_LIMITS.page }
}

/** Throws Refusal. */
export async function readReceipt(db: Queryable, number: string, userId?: string): Promise<Receipt> {
  const [row] = await store.listReceipts(db, { ...(userId !== undefined && { userId }), number, limit: 1 })
  if (!row) throw new Refusal('not_found')
  return shownReceipt(row)
}

/** Never shows whose it is. */
const shownReceipt = ({ seq, number, isTest, issuedAt, printed }: store.ReceiptRow): Receipt => ({
  ...{ seq, number, isTest, printed },
  issuedAt: issuedAt.toISOString(),
})

async function detailsOf(db: Queryable, userId: string): Promise<Party | null> {
  const row = await store.findDetails(db, userId)
  return row ? { name: row.name, address: row.address, taxId: row.taxId } : null
}

export const readDetails = async (db: Queryable, { id }: SignedInUser): Promise<{ details: Party | null }> => ({
  details: await detailsOf(db, id),
})

export async function saveDetails(db: Queryable, { id }: SignedInUser, details: Party): Promise<Record<string, never>> {
  await store.saveDetails(db, { userId: id, ...details })
  return {}
}

export async function removeDetails(db: Queryable, { id }: SignedInUser): Promise<Record<string, never>> {
  await store.deleteDetails(db, id)
  return {}
}

/** Takes a deleted account out of its receipts. */
export const forgetPayer = (tx: Queryable, userId: string): Promise<void> => store.forgetAccount(tx, userId)

export async function dropOldReceipts({ db, clock, config }: Pick<Env, 'db' | 'clock' | 'config'>): Promise<boolean> {
  const before = new Date(clock())
  before.setUTCFullYear(before.getUTCFullYear() - config.selling.receiptYears)
  await store.deleteBefore(db, before)
  return false
}
