import { Check, Info } from 'lucide-react'
import { useState } from 'react'
import type { BillingPeriod, Package, Subscription } from '../../../contract/money/payments.ts'
import { hasRight, PLANS, type Tier } from '../../../contract/money/plans.ts'
import type { Consent } from '../../../contract/money/terms.ts'
import { useEnv } from '../../ui/env.tsx'
import { later } from '../../ui/later.tsx'
import { Note } from '../../ui/Note.tsx'
import { BuyDialog } from './BuyDialog.tsx'
import { ChangeDialog } from './ChangeDialog.tsx'
import { BENEFITS_LIMIT, GUARANTEE, MASTER_LINES, offeredLinesOf, shownPrice, testCardWords } from './planLines.ts'
import {
  changePlan,
  type FramePayment,
  masterOffer,
  type Offered,
  offered,
  previewPlan,
  priceFor,
  relationTo,
  savedCents,
} from './plans.ts'
import { useAct } from './usePlans.tsx'

const CheckoutDialog = later(async () => (await import('./CheckoutDialog.tsx')).CheckoutDialog)

/** What the button says where there is nothing to choose. */
const SETTLED = { own: 'Your plan', included: 'Included in your plan' }

interface Props {
  tier: Tier
  subscription: Subscription
  packages: Package[]
}

/** What is for sale, by month or year. */
export function PlanList({ tier, subscription, packages }: Props) {
  const env = useEnv()
  const [billingPeriod, setPeriod] = useState<BillingPeriod>('monthly')
  const [asked, setAsked] = useState<{ offer: Offered; dueNowCents: number; period: BillingPeriod }>()
  const [bought, setBought] = useState<{ offer: Offered; period: BillingPeriod }>()
  const [payment, setPayment] = useState<FramePayment>()
  const { pending, act } = useAct('Upgrade Failed')
  const { card, cardProvider, terms } = subscription
  const master = masterOffer(subscription)
  const offers = [...offered(packages, cardProvider), ...(master ? [master] : [])]
  // Another tab has bought, or the terms are gone: what was chosen here is asked anew.
  if (bought && (card || !terms)) setBought(undefined)
  const isOff = cardProvider === 'off'
  const testCards = testCardWords(subscription)

  const wantedOf = ({ tier, packageId }: Offered, period: BillingPeriod) => ({ tier, packageId, billingPeriod: period })
  const change = (offer: Offered, period: BillingPeriod, consent?: Consent) =>
    act(offer.key, async () => {
      setPayment(await changePlan(env, { ...wantedOf(offer, period), consent }))
      setAsked(undefined)
      setBought(undefined)
    })
  function choose(offer: Offered, period: BillingPeriod) {
    if (!card && terms) return setBought({ offer, period })
    if (!card) return change(offer, period)
    act(offer.key, async () => setAsked({ offer, period, dueNowCents: await previewPlan(env, wantedOf(offer, period)) }))
  }

  return (
    <section className="plan-list" aria-label="Available plans">
      <header>
        <h2>Available plans</h2>
        {!isOff && (
          <fieldset className="seg" aria-label="Billing period">
            {(['monthly', 'yearly'] as const).map((each) => (
              <button type="button" key={each} aria-pressed={billingPeriod === each} onClick={() => setPeriod(each)}>
                {each === 'monthly' ? 'Monthly' : 'Yearly'}
              </button>
            ))}
          </fieldset>
        )}
      </header>
      {testCards && (
        <Note icon={Info}>
          <strong>{testCards}.</strong> Pay by a test card, such as 4242 4242 4242 4242.
        </Note>
      )}
      {isOff && <Note icon={Info}>Card payment is not set up on this server.</Note>}
      <div className="offers">
        {offers.map((offer) => {
          const { period, cents } = priceFor(offer, billingPeriod)
          const saved = period === 'yearly' ? savedCents(offer) : null
          const relation = relationTo(offer, period, { ...subscription, tier }, packages)
          return (
            <article className={`offer ${offer === offers[0] ? 'best' : ''}`} key={offer.key} aria-label={offer.name}>
              <header>
                <h3>{offer.name}</h3>
                {saved !== null && !isOff && <span className="badge acc">Save {shownPrice(saved)}</span>}
              </header>
              <p className="price">
                {isOff ? 'Contact us' : shownPrice(cents)}
                {!isOff && <small>/{period === 'yearly' ? 'year' : 'month'}</small>}
              </p>
              <Lines lines={offeredLinesOf(offer)} />
              {!isOff && (
                <button
                  type="button"
                  className={`btn wide ${offer === offers[0] && relation === 'open' ? 'primary' : 'outline'}`}
                  disabled={relation !== 'open' || pending !== undefined}
                  onClick={() => choose(offer, period)}
                >
                  {pending === offer.key ? 'Processing...' : { ...SETTLED, open: `Choose ${offer.name}` }[relation]}
                </button>
              )}
            </article>
          )
        })}
        {!master && (
          <article className="offer" aria-label="Master">
            <header>
              <h3>{PLANS.master.name}</h3>
            </header>
            <p className="price">Contact us</p>
            <Lines lines={MASTER_LINES} />
            {hasRight(tier, 'family') && <p className="small t2">Your plan</p>}
          </article>
        )}
        <article className="offer" aria-label="Free">
          <header>
            <h3>{PLANS.free.name}</h3>
          </header>
          <p className="price">{shownPrice(0)}</p>
          <Lines lines={['Receive and read messages from paid users', 'Create contact codes']} />
        </article>
      </div>
      <p className="small t2">
        {BENEFITS_LIMIT} {subscription.hasGuarantee && GUARANTEE}
      </p>
      {payment && <CheckoutDialog payment={payment} onClose={() => setPayment(undefined)} />}
      {asked && (
        <ChangeDialog
          name={asked.offer.name}
          dueNowCents={asked.dueNowCents}
          periodEnd={card?.periodEnd ?? null}
          terms={terms}
          isPending={pending !== undefined}
          onChange={(consent) => change(asked.offer, asked.period, consent)}
          onClose={() => pending === undefined && setAsked(undefined)}
        />
      )}
      {bought && terms && !card && (
        <BuyDialog
          name={bought.offer.name}
          {...priceFor(bought.offer, bought.period)}
          terms={terms}
          isPending={pending !== undefined}
          onBuy={(consent) => change(bought.offer, bought.period, consent)}
          onClose={() => pending === undefined && setBought(undefined)}
        />
      )}
    </section>
  )
}

function Lines({ lines }: { lines: string[] }) {
  return (
    <ul>
      {lines.map((line) => (
        <li key={line}>
          <Check className="i i-16" aria-hidden />
          {line}
        </li>
      ))}
    </ul>
  )
}
