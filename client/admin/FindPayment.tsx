import { type FormEvent, useState } from 'react'
import { coinReviewsApi, type PaidPayment } from '../../contract/money/coinreviews.ts'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { failureWords } from '../ui/failure.ts'
import { moment } from '../ui/time.ts'
import { useFocusBack } from '../ui/useFocusBack.tsx'
import { VERBATIM } from '../ui/verbatim.ts'
import { Fact, Long } from './CoinReview.tsx'
import { amountWords, cameTo, dollarWords, STATUSES } from './coinwords.ts'
import { SentBack } from './SentBack.tsx'
import { useAct } from './useAct.tsx'

/** Finds a payment by what the payer names of it, to note that it was sent back. */
export function FindPayment() {
  const env = useEnv()
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<PaidPayment[]>()
  const [error, setError] = useState<string>()
  const [isPending, setPending] = useState(false)
  const noteFocus = useFocusBack(isPending)

  async function submit(event: FormEvent) {
    event.preventDefault()
    const named = typed.trim()
    if (named.length < 20) return setError('Type the whole address or the whole transaction')
    noteFocus()
    setPending(true)
    setError(undefined)
    try {
      setFound(await env.api(coinReviewsApi.find, { named }))
    } catch (failure) {
      setError(failureWords(failure))
    } finally {
      setPending(false)
    }
  }

  return (
    <section className="payment-find" aria-labelledby="payment-find">
      <h2 id="payment-find">Refund a payment</h2>
      <p className="t2">Send the money back from your own wallet, then note it here. The plan that it paid for ends.</p>
      <form onSubmit={submit} noValidate>
        <Field
          label="Address or transaction of the payment"
          value={typed}
          error={error}
          maxLength={100}
          {...VERBATIM}
          onValue={(value) => {
            setTyped(value)
            setError(undefined)
          }}
        />
        <button type="submit" className="btn outline" disabled={isPending}>
          {isPending ? 'Searching...' : 'Find'}
        </button>
      </form>
      <div role="status">{found?.length === 0 && <p className="none">No payment has this address or transaction.</p>}</div>
      {found && found.length > 0 && (
        <ul className="payment-rows" aria-label="Payments found">
          {found.map((payment) => (
            <Paid
              key={payment.paymentId}
              payment={payment}
              onChanged={(next) => setFound(found.map((each) => (each.paymentId === next.paymentId ? next : each)))}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function Paid({ payment, onChanged }: { payment: PaidPayment; onChanged: (payment: PaidPayment) => void }) {
  const env = useEnv()
  const { act, isPending, dialog } = useAct()
  const [isAsked, setAsked] = useState(false)
  const name = `@${payment.payer.username.toLowerCase()}`

  async function refund(transactionHash: string) {
    const isNoted = await act({
      run: async () => onChanged(await env.api(coinReviewsApi.refund, { id: payment.paymentId, transactionHash })),
      done: { title: 'Refund noted', text: `The plan that ${name} paid for has ended.` },
      failed: 'Nothing was changed',
    })
    if (isNoted) setAsked(false)
  }

  return (
    <li>
      <header>
        <p>
          <b>{STATUSES[payment.status]}</b> <span className="t2">by {name}</span>
        </p>
        <p className="num what">
          {amountWords(payment)} <span className="t2">· {dollarWords(payment.usdCents)}</span>
        </p>
      </header>
      <dl className="payment-facts">
        <Long name={cameTo(payment)} text={payment.paymentAddress} label="Copy the address it came to" />
        {payment.transactionHash && <Long name="Transaction" text={payment.transactionHash} label="Copy the transaction" />}
        {payment.walletAddress && <Long name="Refund to" text={payment.walletAddress} label="Copy the refund address" />}
        {payment.refundTransaction && (
          <Long name="Sent back by" text={payment.refundTransaction} label="Copy the transaction of the refund" />
        )}
        <Fact name="Asked for">{moment(new Date(payment.createdAt))}</Fact>
      </dl>
      {payment.isRefundable && (
        <div className="payment-acts">
          <button type="button" className="btn compact outline" disabled={isPending} onClick={() => setAsked(true)}>
            Note a refund
          </button>
        </div>
      )}
      {isAsked && (
        <SentBack
          title={`Note a refund to ${name}`}
          text={`Send ${amountWords(payment)} back from your own wallet first. This notes the transaction and ends the plan; it moves no money.`}
          isPending={isPending}
          onSend={(hash) => void refund(hash)}
          onClose={() => setAsked(false)}
        />
      )}
      {dialog}
    </li>
  )
}
