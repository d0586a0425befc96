import { setTimeout as wait } from 'node:timers/promises'
import { Refusal } from '../../refuse.ts'
import { NodeError } from '../coins/chain.ts'
import { compareCoins } from '../coins/compareCoins.ts'
import { compareDisputes, compareInvoices, compareRefunds, compareWritten } from './comparePayments.ts'
import { compareCards, compareSubscriptions } from './compareSubscriptions.ts'
import type { CheckEnv, Difference, Mend, Piece, Walk } from './difference.ts'

type Part = (env: CheckEnv, walk: Walk) => Promise<Piece>

// Invoices come after subscriptions: whoever is adopted has theirs written then.
const CARDS: readonly Part[] = [
  ...[compareSubscriptions, compareInvoices, compareRefunds, compareDisputes, compareWritten, compareCards],
]

const partsOf = ({ card }: CheckEnv): readonly Part[] => (card.provider === 'off' ? [coinsOf] : [...CARDS, coinsOf])

const PAUSE_MS = 200
const COIN_PAUSE_MS = 500

/** `events`: does what lost events would have done. `all`: ends subscriptions of deleted accounts too. */
export type Mending = 'nothing' | 'events' | 'all'

export const newWalk = (startedAt: Date, since?: Date): Walk => ({
  ...{ startedAt, since, part: 0, after: undefined, left: [], next: undefined, looked: 0 },
  ...{ seen: new Set(), listed: new Set(), silent: new Set(), differences: new Set(), mended: new Set() },
  failure: undefined,
})

const SETTLED_AT_ONCE = 5

/**
 * Does one piece, or settles some of what it found: a page of the provider's list, compared with the ledger and the cards. Nothing holds a database connection while the
 * provider is asked, but a mend. Returns true if more is left. Throws Refusal; the walk then goes on at the same page.
 */
export async function stepWalk(env: CheckEnv, walk: Walk, mending: Mending): Promise<boolean> {
  const parts = partsOf(env)
  const part = parts[walk.part]
  if (!part) return false
  if (walk.left.length === 0) {
    const { looked, differences, after } = await part(env, walk)
    Object.assign(walk, { left: [...differences], next: after, looked: walk.looked + looked })
  }
  for (let settled = 0; settled < SETTLED_AT_ONCE; settled++) {
    const [difference] = walk.left
    if (!difference) break
    await settle(walk, difference, mending)
    walk.left.shift()
  }
  if (walk.left.length > 0) return true
  walk.after = walk.next
  if (walk.after === undefined) walk.part += 1
  else await wait(part === coinsOf ? COIN_PAUSE_MS : PAUSE_MS)
  return walk.part < parts.length
}

async function settle(walk: Walk, { line, todo, mend }: Difference, mending: Mending): Promise<void> {
  const isMending = mend && (mending === 'all' || (mending === 'events' && mend.kind === 'event'))
  const isDone = isMending && (await works(walk, mend))
  if (isDone && !(await mend.isLeft())) walk.mended.add(`${line}. Mended: ${mend.did}`)
  else walk.differences.add(`${line}. ${mend?.kind === 'event' && !isMending ? 'check-provider --mend writes it' : todo}`)
}

/** One account of which nothing can be said holds up no other. */
async function works(walk: Walk, { work }: Mend): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof Refusal || error instanceof NodeError) throw error
    walk.failure ??= error
    return false
  }
}

async function coinsOf(env: CheckEnv, walk: Walk): Promise<Piece> {
  const compared = await compareCoins(env, { since: walk.since, after: walk.after, skipped: walk.silent })
  for (const { chain } of compared.silent) walk.silent.add(chain)
  return {
    ...{ looked: compared.looked, after: compared.after },
    differences: [
      ...compared.silent.map(({ chain, why }) => ({
        line: `the addresses of ${chain} could not be compared: ${why}`,
        todo: 'Look at the node',
      })),
      ...compared.differences.map(({ words, look, isLeft }) => ({
        line: words,
        todo: 'Look at the Payments tab, and at the chain',
        mend: { kind: 'event' as const, did: 'the address was looked at', work: look, isLeft },
      })),
    ],
  }
}
