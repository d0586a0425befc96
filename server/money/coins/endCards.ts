import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { endRenewal } from '../payments/endRenewal.ts'
import * as store from './store.ts'

const AT_ONCE = 20

/** Ends the renewal of cards beside what was paid by coin. A job: returns true if more are left. */
export async function endCards(env: Env): Promise<boolean> {
  if (env.card.provider === 'off') return false
  const ending = await store.listEndingCard(env.db, AT_ONCE)
  const failures: unknown[] = []
  for (const { id, userId, endsCard, tier, packageId } of ending) {
    try {
      await endRenewal(env, userId, endsCard === 'same' ? { tier, packageId } : undefined)
      await store.updatePayment(env.db, id, { endsCard: null })
    } catch (error) {
      failures.push(error)
      // The provider is silent.
      if (error instanceof Refusal) break
    }
  }
  if (failures.length > 0) throw failures[0]
  return ending.length === AT_ONCE
}
