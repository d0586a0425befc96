import { CircleAlert, CreditCard } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { COIN_POLLS, COINS, type CoinPayment, type Currency } from '../../../contract/money/coins.ts'
import { ApiError } from '../../net/api.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { moment } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import { readPlans, shownPlans } from '../plans/plans.ts'
import { useConsent } from '../plans/useConsent.tsx'
import { aboutAmount, askForPayment, loadPrices, type Offer, type Prices, priceWords, type Wish } from './coins.ts'
import { PaymentSheet } from './PaymentSheet.tsx'
import './coins.css'

interface Props {
  wish: Wish
  offer: Offer
  onClose: () => void
}

/** Chooses a coin, asks for the payment, and shows it until it is paid. */
export function CoinDialog({ wish, offer, onClose }: Props) {
  const [payment, setPayment] = useState<CoinPayment>()
  const title = `Pay ${wish.name} by coin`
  const text = `${priceWords(wish)}. It does not renew by itself.`
  return (
    <Dialog title={title} text={text} onClose={onClose}>
      {payment ? (
        <PaymentSheet first={payment} onClose={onClose} onAgain={() => setPayment(undefined)} />
      ) : (
        <Choice wish={wish} offer={offer} onPayment={setPayment} onClose={onClose} />
      )}
    </Dialog>
  )
}

/** The prices while the dialog is open, with a toast when they become approximate. */
function usePrices(): Prices | undefined {
  const env = useEnv()
  const [prices, setPrices] = useState<Prices>()
  useEffect(() => {
    let isShown = true
    let kind: Prices['kind'] | undefined
    const load = async () => {
      const next = await loadPrices(env)
      if (!isShown) return
      setPrices(next)
      const isNews = next.kind === 'approximate' && kind !== next.kind
      kind = next.kind
      if (isNews) showToast({ tone: 'bad', title: 'Price Update Failed', text: 'Using approximate exchange rates' })
    }
    void load()
    const timer = setInterval(() => void load(), COIN_POLLS.pricesMs)
    return () => {
      isShown = false
      clearInterval(timer)
    }
  }, [env])
  return prices
}

function Choice({ wish, offer, onPayment, onClose }: Props & { onPayment: (payment: CoinPayment) => void }) {
  const env = useEnv()
  const prices = usePrices()
  const [chosen, setChosen] = useState<Currency>(offer.preferred)
  const [walletAddress, setWalletAddress] = useState(offer.walletAddress)
  const [isPending, setPending] = useState(false)
  const [why, setWhy] = useState<string>()
  const [isToEnd, setToEnd] = useState(false)
  const card = useStore(shownPlans, ({ subscription }) => subscription?.card)
  const { consent, isMissing, boxes } = useConsent(useStore(shownPlans, ({ subscription }) => subscription?.terms))
  const renewsAt = card?.renews ? card.periodEnd : undefined
  const isApproximate = prices?.kind === 'approximate'

  async function submit(event: FormEvent) {
    event.preventDefault()
    setPending(true)
    setWhy(undefined)
    try {
      onPayment(
        await askForPayment(env, wish, { currency: chosen, walletAddress, endsCard: isToEnd || renewsAt !== undefined, consent }),
      )
    } catch (error) {
      setWhy(failureWords(error))
      // The card was bought elsewhere.
      if (error instanceof ApiError && error.code === 'card_renews') {
        setToEnd(true)
        void readPlans(env)
      }
      showToast({ tone: 'bad', title: 'Payment Creation Failed', text: 'Failed to create crypto payment' })
      setPending(false)
    }
  }

  if (!prices) return <Spinner words="Loading the prices" />
  return (
    <form className="coin-form" onSubmit={submit} noValidate>
      <fieldset className="choices" disabled={isPending}>
        <legend className="sr">Coin</legend>
        {offer.currencies.map((currency) => (
          <label className="choice" key={currency}>
            <input type="radio" name="coin" checked={chosen === currency} onChange={() => setChosen(currency)} />
            <b>{COINS[currency].name}</b>
            <span className="num">
              about {aboutAmount(currency, wish.cents, prices)} · {COINS[currency].confirmations} confirmations
            </span>
          </label>
        ))}
      </fieldset>
      {prices.kind !== 'current' && (
        <p className="help" role="status">
          {isApproximate
            ? 'These are approximate rates. A payment can begin once the server knows the prices.'
            : 'The sources of prices do not answer. These are the last that are known.'}
        </p>
      )}
      <Field
        label="Refund address"
        rule="optional"
        value={walletAddress}
        maxLength={100}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        help={<p className="help">Where money goes back to that comes too late, or too much.</p>}
        onValue={setWalletAddress}
      />
      {renewsAt && (
        <Note icon={CreditCard}>
          Your card would be charged again on {moment(new Date(renewsAt))}. Once this payment is confirmed, it is not.
        </Note>
      )}
      {boxes}
      {why && (
        <Note icon={CircleAlert} tone="danger">
          {why}
        </Note>
      )}
      <FormFooter
        action={`Continue with ${COINS[chosen].symbol}`}
        pendingAction="Processing..."
        isPending={isPending}
        isOff={isApproximate || isMissing}
        onClose={onClose}
      />
    </form>
  )
}
