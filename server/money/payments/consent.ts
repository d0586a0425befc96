import type { Consent } from '../../../contract/money/terms.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import type { Offer } from './offers.ts'
import * as store from './store-consents.ts'

/** Throws Refusal `terms_required` or `terms_changed`. */
export function requireTerms({ config: { terms } }: Pick<Env, 'config'>, consent: Consent | undefined): void {
  if (!terms) return
  if (consent && consent.termsVersion !== terms.version) throw new Refusal('terms_changed')
  if (!consent || (terms.asksWithdrawal && !consent.withdrawal)) throw new Refusal('terms_required')
}

type Bought = Pick<Offer, 'tier' | 'packageId' | 'billingPeriod' | 'amountCents'> & { userId: string; purchase: string }

/** Keeps what `requireTerms` has let in. */
export async function noteConsent(env: Pick<Env, 'config' | 'clock'>, tx: Queryable, bought: Bought): Promise<void> {
  const { terms } = env.config
  if (!terms) return
  const { tier, packageId, billingPeriod, amountCents, userId, purchase } = bought
  const consent = {
    ...{ userId, purchase, tier, packageId, billingPeriod, amountCents, consentedAt: env.clock() },
    ...{ termsVersion: terms.version, termsUrl: terms.url, hasWithdrawal: terms.asksWithdrawal },
  }
  await store.dropUnused(tx, consent)
  await store.insertConsent(tx, consent)
}
