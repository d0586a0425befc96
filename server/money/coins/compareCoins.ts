import { NodeError } from './chain.ts'
import { chainNameOf } from './openCoins.ts'
import * as store from './store.ts'
import { keyOf, type LookEnv, lookAt, lookBy, requireShown } from './watchPayments.ts'

const AT_ONCE = 5

/** A request of which the chain shows something else than our rows. */
export interface CoinDifference {
  paymentId: string
  words: string
  /** Looks at the address as the watcher does. */
  look(): Promise<void>
  isLeft(): Promise<boolean>
}

interface Compared {
  looked: number
  differences: CoinDifference[]
  /** A node that did not answer, and why. */
  silent: { chain: string; why: string }[]
  /** The last request of this piece; undefined at the end. */
  after: string | undefined
}

/** Compares some requests with the chains. Writes nothing, and asks no chain of `skipped`. */
export async function compareCoins(
  env: LookEnv,
  { since, after, skipped }: { since: Date | undefined; after: string | undefined; skipped: ReadonlySet<string> },
): Promise<Compared> {
  const payments = await store.listFrom(env.db, since, after, AT_ONCE)
  const silent: Compared['silent'] = []
  const isSkipped = (chain: string) => skipped.has(chain) || silent.some((each) => each.chain === chain)
  const differences: CoinDifference[] = []
  const heads = new Map<string, Promise<number | undefined>>()
  for (const payment of payments) {
    const chain = chainNameOf(payment.currency)
    if (isSkipped(chain)) continue
    try {
      const head = heads.get(chain) ?? Promise.resolve(env.coins.chainOf(payment.currency)?.head())
      heads.set(chain, head)
      const words = await differenceOf(env, payment, await head)
      if (words !== undefined)
        differences.push({
          ...{ paymentId: payment.id, words },
          look: () => lookAgain(env, payment.id),
          isLeft: async () => (await differenceOf(env, payment)) !== undefined,
        })
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      silent.push({ chain, why: error.message })
    }
  }
  return { looked: payments.length, differences, silent, after: payments.length === AT_ONCE ? payments.at(-1)?.id : undefined }
}

async function lookAgain(env: LookEnv, id: string): Promise<void> {
  const payment = await store.findPayment(env.db, id)
  if (payment) await lookAt(env, payment)
}

/** Throws NodeError. */
async function differenceOf(env: LookEnv, { id }: store.Payment, head?: number): Promise<string | undefined> {
  const payment = await store.findPayment(env.db, id)
  const chain = payment && env.coins.chainOf(payment.currency)
  if (!payment || !chain) return undefined
  const rows = (await store.listArrivals(env.db, id)).filter(({ isGone }) => !isGone)
  const seen = await lookBy(chain, payment, rows, head)
  requireShown(payment, rows, seen)
  const [shown, written] = [new Set(seen.arrivals.map(keyOf)), new Set(rows.map(keyOf))]
  const where = `the address ${payment.paymentAddress} of the request ${id} of account ${payment.userId}`
  const unwritten = seen.arrivals.filter((each) => !written.has(keyOf(each)))
  if (unwritten.length > 0) return `${where} has ${inWords(unwritten)}, which is not written here`
  const gone = rows.filter((each) => !shown.has(keyOf(each)))
  if (gone.length > 0) return `the chain shows no more what is written of ${where}: ${inWords(gone)}`
  const isUncredited = payment.status === 'confirmed' && !(await store.isCredited(env.db, id))
  return isUncredited ? `the ledger has no payment of ${where}, which is confirmed` : undefined
}

const inWords = (arrivals: readonly { reference: string }[]): string => arrivals.map(({ reference }) => reference).join(', ')
