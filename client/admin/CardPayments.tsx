import { type FormEvent, useId, useState } from 'react'
import { type CardPayment, cardPaymentsApi } from '../../contract/money/cardpayments.ts'
import { PLANS } from '../../contract/money/plans.ts'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { moment } from '../ui/time.ts'
import { VERBATIM } from '../ui/verbatim.ts'
import { Fact, Long } from './CoinReview.tsx'
import { dollarWords } from './coinwords.ts'
import { Older } from './Older.tsx'
import { useLoaded } from './useLoaded.tsx'

/** What was paid by card, and what was paid back or disputed of it. */
export function CardPayments() {
  const env = useEnv()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [named, setNamed] = useState('')
  const [before, setBefore] = useState<number>()
  const { value, failure, reload } = useLoaded(JSON.stringify([named, before]), () =>
    env.api(cardPaymentsApi.list, { ...(named && { named }), ...(before !== undefined && { before }) }),
  )

  function find(event: FormEvent) {
    event.preventDefault()
    setBefore(undefined)
    setNamed(typed.trim())
  }

  return (
    <section className="payment-find" aria-labelledby={id}>
      <h2 id={id}>Card payments</h2>
      <p className="t2">Refunds and answers to disputes are made at the card provider. What it tells of them stands here.</p>
      <form onSubmit={find} noValidate>
        <Field
          label="Username, account id, or the provider’s id of a customer, invoice, payment, refund or dispute"
          value={typed}
          maxLength={255}
          {...VERBATIM}
          onValue={setTyped}
        />
        <button type="submit" className="btn outline">
          Search
        </button>
      </form>
      {!value && <NotRead words="The card payments could not be loaded." failure={failure ?? null} onRetry={reload} />}
      {value && failure && <NotRead words="The card payments may be out of date." failure={failure} onRetry={reload} />}
      <div role="status">
        {value?.payments.length === 0 && (
          <p className="none">{named ? 'No card payment fits.' : 'Nothing was paid by card yet.'}</p>
        )}
      </div>
      {value && value.payments.length > 0 && (
        <ul className="payment-rows" aria-label="Card payments">
          {value.payments.map((payment) => (
            <Paid key={payment.place} payment={payment} />
          ))}
        </ul>
      )}
      {value && (
        <Older
          isNewest={before === undefined}
          hasMore={value.hasMore}
          onNewest={() => setBefore(undefined)}
          onOlder={() => setBefore(value.payments.at(-1)?.place)}
        />
      )}
    </section>
  )
}

const RETURNS: Record<CardPayment['returns'][number]['kind'], string> = {
  refund: 'Refunded',
  refund_failed: 'Refund failed',
  dispute: 'Disputed',
  dispute_won: 'Dispute won',
}

function Paid({ payment }: { payment: CardPayment }) {
  const { payer, tier, packageName, billingPeriod, amountCents, paidAt, startsAt, endsAt, invoice, reference, returns } = payment
  return (
    <li>
      <header>
        <p>
          <b>{packageName ?? PLANS[tier].name}</b>
          {billingPeriod && <span className="t2">, {billingPeriod}</span>}{' '}
          <span className="t2">by {payer.username === null ? 'a deleted account' : `@${payer.username.toLowerCase()}`}</span>
        </p>
        <p className="num what">{dollarWords(amountCents)}</p>
      </header>
      <dl className="payment-facts">
        <Fact name="Paid">{moment(new Date(paidAt))}</Fact>
        <Fact name="For">
          {moment(new Date(startsAt))}
          {endsAt && ` to ${moment(new Date(endsAt))}`}
        </Fact>
        <Long name="Account" text={payer.id} label="Copy the account id" />
        <Long name="Invoice" text={invoice} label="Copy the invoice" />
        {reference && <Long name="Payment" text={reference} label="Copy the payment" />}
        {returns.map(({ kind, amountCents: cents, at, reference: named }) => (
          <Fact key={`${kind} ${named}`} name={RETURNS[kind]}>
            <b className="num">{dollarWords(cents)}</b> on {moment(new Date(at))}
            {named && <span className="t2"> · {named}</span>}
          </Fact>
        ))}
      </dl>
    </li>
  )
}
