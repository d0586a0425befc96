import { randomUUID } from 'node:crypto'
import { COINS, type CoinStatus, type Currency } from '../../../contract/money/coins.ts'
import type { Tier } from '../../../contract/money/plans.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { creditPeriod } from '../ledger/ledger.ts'
import { centsFor } from './amounts.ts'
import { type Arrival, type Chain, confirmationsOf, type Known, NodeError, type Seen } from './chain.ts'
import { isInTime, type Judgement, judge, type Received } from './judge.ts'
import { isLookedFor, nameAfter } from './namedPayment.ts'
import { chainNameOf } from './openCoins.ts'
import { hasFallen, isSlow } from './slowPayment.ts'
import * as store from './store.ts'
import { closeOf, writeReview } from './store-reviews.ts'

const SECOND = 1000
const DAY = 24 * 60 * 60 * SECOND
/** Intervals while money is expected or on its way, on the first day, in the first month. Then they grow for ever. */
const SOON_MS = 30 * SECOND
/** Old requests without money are looked at less often. */
const SLOWER = [
  { fromMs: 20 * 60 * SECOND, intervalMs: 120 * SECOND },
  { fromMs: 10 * 60 * SECOND, intervalMs: 60 * SECOND },
]
const DAILY_MS = 10 * 60 * SECOND
const LATER_MS = 6 * 60 * 60 * SECOND
const OFTEN_MS = 30 * DAY
const SHARE_OF_AGE = 10
/** The node is silent. */
const RETRY_MS = 60 * SECOND
const AT_ONCE = 20

export type LookEnv = Pick<Env, 'db' | 'clock' | 'coins' | 'fault'>

const underWay = new WeakMap<LookEnv, Map<string, Promise<void>>>()

/** Throws NodeError; the payment then stays as it is. */
export function lookAt(env: LookEnv, payment: store.Payment, head?: number): Promise<void> {
  const mine = underWay.get(env) ?? new Map<string, Promise<void>>()
  underWay.set(env, mine)
  const look = mine.get(payment.id) ?? readAndWrite(env, payment, head).finally(() => mine.delete(payment.id))
  mine.set(payment.id, look)
  return look
}

/** Keeps what was known while the node is silent. */
export async function lookIfAnswered(env: Env, payment: store.Payment): Promise<void> {
  try {
    await lookAt(env, payment)
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
  }
}

/** Looks by a head that was read for many, unless more was seen since. */
export function lookBy(
  chain: Chain,
  payment: store.Payment,
  rows: readonly store.ArrivalRow[],
  head: number | undefined,
): Promise<Seen> {
  const isNewest = head !== undefined && head >= shownHeight(payment, rows)
  return chain.look(payment.paymentAddress, knownOf(payment, rows), isNewest ? head : undefined)
}

async function readAndWrite(env: LookEnv, payment: store.Payment, head: number | undefined): Promise<void> {
  const chain = env.coins.chainOf(payment.currency)
  // The currency was switched off.
  if (!chain) return await store.putOff(env.db, payment.id, new Date(env.clock().getTime() + LATER_MS))
  const rows = (await store.listArrivals(env.db, payment.id)).filter(({ isGone }) => !isGone)
  const seen = await lookBy(chain, payment, rows, head)
  requireShown(payment, rows, seen)
  const slow = payment.confirmedAt || payment.decided ? [] : seen.arrivals.filter((each) => isSlow(payment, each))
  const late = slow.length > 0 && (await hasFallen(env.coins.prices, payment)) ? slow : []
  const name = await nameAfter(chain, payment, seen, env.clock())
  await env.fault?.('coins: seen')
  const now = env.clock()
  await env.db.transaction(async (tx) => {
    const current = await store.lockPayment(tx, payment.id)
    // A later look has written more.
    if (!current || current.looks !== payment.looks) return
    await writeSeen(tx, current, seen, now)
    await store.markLate(
      tx,
      payment.id,
      late.map(({ reference }) => reference),
    )
    // A transaction named meanwhile stays.
    const isSame = current.namedTransaction === payment.namedTransaction
    await writeJudgement(tx, { ...current, ...(isSame && name) }, seen, now)
  })
}

const knownOf = (payment: store.Payment, rows: readonly store.ArrivalRow[]): Known => ({
  scannedHeight: payment.scannedHeight,
  nativeUnits: BigInt(payment.nativeUnits),
  arrivals: rows.map((row) => ({ ...row, units: BigInt(row.units), at: null })),
})

export const keyOf = ({ reference, index }: Pick<Arrival, 'reference' | 'index'>): string => `${reference}:${index}`

/** Reorganised chains are longer. Throws NodeError if the node is behind. */
export function requireShown(payment: store.Payment, rows: readonly store.ArrivalRow[], { head }: Seen): void {
  const chain = chainNameOf(payment.currency)
  if (head < shownHeight(payment, rows)) throw new NodeError(`The node of ${chain} shows fewer blocks than before`)
}

function shownHeight({ currency }: store.Payment, rows: readonly store.ArrivalRow[]): number {
  const { confirmations } = COINS[currency]
  return Math.max(0, ...rows.map(({ height, isCredited }) => (height ?? 0) + (isCredited ? confirmations - 1 : 0)))
}

async function writeSeen(tx: Queryable, payment: store.Payment, { arrivals }: Seen, now: Date): Promise<void> {
  const isOpen = payment.status === 'pending' || payment.status === 'confirming'
  const found = new Set(arrivals.map(keyOf))
  const before = await store.listArrivals(tx, payment.id)
  await store.markGone(
    tx,
    before.filter((row) => !found.has(keyOf(row))).map(({ id }) => id),
  )
  for (const { reference, index, asset, units, height, blockHash, at } of arrivals)
    await store.writeArrival(tx, {
      ...{ id: randomUUID(), paymentId: payment.id, chain: chainNameOf(payment.currency), reference, index, asset },
      ...{ units: units.toString(), height, blockHash, firstSeenAt: now },
      // Money after a decision waits for a person again.
      isInTime: payment.decided === null && isInTime(payment.expiresAt, isOpen, at, now),
    })
}

async function writeJudgement(tx: Queryable, payment: store.Payment, seen: Seen, now: Date): Promise<void> {
  const rows = await store.listArrivals(tx, payment.id)
  const received: Received[] = rows.map((row) => ({ ...row, units: BigInt(row.units) }))
  const payer = rows.length > 0 ? await store.lockPayer(tx, payment.userId) : undefined
  const isPayerGone = payer !== undefined && (payer.isDeleted || payer.isBlocked)
  const requested = { ...payment, due: BigInt(payment.amount), rate: BigInt(payment.rate), isPayerGone }
  const judgement = judge(requested, received, seen.head, now)
  if (judgement.credits.length > 0) {
    await credit(tx, payment, judgement.credits, rows, now)
    for (const reason of ['account_gone', 'underpaid'] as const) await closeOf(tx, payment.id, reason, now)
  }
  for (const { reason, about, asset, units } of judgement.reviews)
    await writeReview(tx, {
      ...{ id: randomUUID(), paymentId: payment.id, reason, about, asset, units: units.toString(), createdAt: now },
    })
  const wasShort = payment.status === 'needs_review' || payment.decided === 'confirmed'
  const isShort = judgement.reviews.some(({ reason }) => reason === 'reorganised')
  if (judgement.status === 'confirmed' && wasShort && !isShort) await closeOf(tx, payment.id, 'reorganised', now)
  const isAllRead = seen.scannedHeight > seen.head - COINS[payment.currency].confirmations
  await store.updatePayment(tx, payment.id, {
    ...changeOf(payment, judgement, rows, seen.head, now),
    ...{ scannedHeight: seen.scannedHeight, nativeUnits: seen.nativeUnits.toString() },
    ...{ namedTransaction: payment.namedTransaction, namedAt: payment.namedAt },
    ...{ looks: payment.looks + 1, lookedAt: now },
    nextLookAt: new Date(now.getTime() + (isAllRead ? intervalMs(judgement, payment, now) : SOON_MS)),
  })
}

/** Shares the transaction of the arrivals, each of which counts one time. */
export async function credit(
  tx: Queryable,
  payment: store.Payment,
  arrivals: readonly { id: string; units: bigint }[],
  rows: readonly store.ArrivalRow[],
  now: Date,
): Promise<void> {
  await store.markCredited(
    tx,
    arrivals.map(({ id }) => id),
  )
  const reference = rows.find(({ id }) => id === arrivals[0]?.id)?.reference
  const units = arrivals.reduce((sum, each) => sum + each.units, 0n)
  await creditPeriod(tx, now, {
    ...{ key: `coin:${payment.id}`, userId: payment.userId, source: 'coin' },
    ...{ tier: payment.tier as Tier, packageId: payment.packageId, billingPeriod: payment.billingPeriod },
    amountCents: Math.min(payment.usdCents, centsFor(payment.currency, units, BigInt(payment.rate))),
    ...(reference && { reference }),
    coin: { currency: payment.currency, units },
  })
  await store.updatePayment(tx, payment.id, { endsCard: payment.endsCard === 'asked' ? 'due' : 'same' })
}

function changeOf(
  payment: store.Payment,
  { status, confirmations, received }: Judgement,
  rows: readonly store.ArrivalRow[],
  head: number,
  now: Date,
): Partial<store.Payment> {
  const first = rows.find(({ isGone, asset }) => !isGone && asset === payment.currency)
  return {
    ...{ status, received: received.toString(), blockConfirmations: confirmations },
    // An unexplained rise is named by its block.
    transactionHash: first && !first.reference.includes(':') ? first.reference : null,
    confirmedAt: payment.confirmedAt ?? (status === 'confirmed' ? now : null),
    ...(first && confirmations === 0 && status === 'pending' && { blockConfirmations: confirmationsOf(first, head) }),
  }
}

function intervalMs(
  { status, received }: { status: CoinStatus; received: bigint | string },
  payment: store.Payment,
  now: Date,
): number {
  const ageMs = now.getTime() - payment.createdAt.getTime()
  if (status === 'confirming' || isLookedFor(payment, now)) return SOON_MS
  if (status === 'pending') {
    const slower = SLOWER.find(({ fromMs }) => ageMs >= fromMs)
    const leftMs = payment.expiresAt.getTime() - now.getTime()
    if (slower && BigInt(received) === 0n && leftMs >= 0) return Math.min(slower.intervalMs, leftMs + SECOND)
    return SOON_MS
  }
  if (ageMs < DAY) return DAILY_MS
  return ageMs < OFTEN_MS ? LATER_MS : ageMs / SHARE_OF_AGE
}

/** A silent node puts off all its payments. Throws the first failure at the end. A job: returns true if more are left. */
export async function watchPayments(env: Env): Promise<boolean> {
  const due = await store.listDue(env.db, env.clock(), AT_ONCE)
  const silent = new Set<string>()
  const heads = new Map<string, Promise<number | undefined>>()
  const failures: unknown[] = []
  for (const payment of due) {
    const chain = chainNameOf(payment.currency)
    if (!silent.has(chain)) {
      try {
        const head = heads.get(chain) ?? Promise.resolve(env.coins.chainOf(payment.currency)?.head())
        heads.set(chain, head)
        await lookAt(env, payment, await head)
        continue
      } catch (error) {
        failures.push(error)
        heads.delete(chain)
        // The node may fail at one address only.
        if (!(await isAnswering(env, payment.currency))) silent.add(chain)
      }
    }
    const now = env.clock()
    const waitMs = Math.max(RETRY_MS, intervalMs(payment, payment, now))
    await store.putOff(env.db, payment.id, new Date(now.getTime() + waitMs))
  }
  if (failures.length > 0) throw failures[0]
  return due.length === AT_ONCE
}

async function isAnswering({ coins }: Env, currency: Currency): Promise<boolean> {
  try {
    await coins.chainOf(currency)?.head()
    return true
  } catch {
    // The failure is thrown at the end.
    return false
  }
}
