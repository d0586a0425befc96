import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { COIN_POLLS, COINS, type CoinPayment } from '../../../contract/money/coins.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { Part } from '../../ui/Part.tsx'
import { moment } from '../../ui/time.ts'
import { CoinDialog } from './CoinDialog.tsx'
import { dollars, isOpen, loadOffer, loadPayments, type Offer, priceWords, statusWords, type Wish } from './coins.ts'
import { PaymentSheet } from './PaymentSheet.tsx'
import { paymentsStore } from './store.ts'
import { usePaidInList } from './usePayment.tsx'
import './coins.css'

/** Pays a plan by coin, where the server takes any, and lists what was asked for; one that waits for money can be opened again. */
export function CoinPart() {
  const env = useEnv()
  const payments = useStore(paymentsStore, (state) => state.payments)
  const [offer, setOffer] = useState<Offer>()
  const [wish, setWish] = useState<Wish>()
  const [shown, setShown] = useState<CoinPayment>()
  useEffect(() => {
    let isShown = true
    const show = (next: Offer) => isShown && setOffer(next)
    // Without an answer nothing is offered until the connection is back; the note above the page says that there is none.
    const load = () => void Promise.all([loadOffer(env).then(show), loadPayments(env)]).catch(() => undefined)
    load()
    // Somebody may have decided about money that waited. Without an answer the list keeps what it knows.
    const offs = [env.socket.on('hello', load), env.socket.on('account', () => void loadPayments(env).catch(() => undefined))]
    return () => {
      isShown = false
      for (const off of offs) off()
    }
  }, [env])
  usePaidInList(payments)
  const isAnyOpen = payments.some(isOpen)
  useEffect(() => {
    if (!isAnyOpen) return
    const isVisible = () => document.visibilityState === 'visible'
    const timer = setInterval(() => isVisible() && void loadPayments(env).catch(() => undefined), COIN_POLLS.submittedMs)
    return () => clearInterval(timer)
  }, [env, isAnyOpen])
  // What was chosen in the dialog is what it begins with the next time.
  function close() {
    setWish(undefined)
    void loadOffer(env).then(setOffer, () => undefined)
  }
  const isOffered = offer !== undefined && offer.currencies.length > 0
  if (!isOffered && payments.length === 0) return null
  const names = offer?.currencies.map((each) => COINS[each].name).join(', ')
  return (
    <Part
      title="Pay by coin"
      text={`${isOffered ? `This server takes ${names}. ` : ''}What comes late, twice or in another amount is not lost: a person looks at it.`}
    >
      <ul className="coin-list">
        {isOffered &&
          offer.wishes.map((each) => (
            <li key={each.packageId + each.billingPeriod}>
              <div>
                <b>{each.name}</b>
                <span className="num">{priceWords(each)}</span>
              </div>
              <button
                type="button"
                className="btn outline compact"
                aria-label={`Pay by coin: ${each.name}, ${priceWords(each)}`}
                onClick={() => setWish(each)}
              >
                Pay by coin
              </button>
            </li>
          ))}
        {payments.map((payment) => (
          <li key={payment.id}>
            <div>
              <b className="num">
                {payment.amount} {COINS[payment.currency].symbol}
              </b>
              <span>
                {moment(new Date(payment.createdAt))} · {statusWords(payment, new Date())}
              </span>
              {payment.refundTransaction && <span className="mono coin-address">{payment.refundTransaction}</span>}
            </div>
            {(isOpen(payment) || payment.status === 'expired') && (
              <button
                type="button"
                className="btn outline compact"
                aria-label={`Show the payment of ${payment.amount} ${COINS[payment.currency].symbol}`}
                onClick={() => setShown(payment)}
              >
                Show
              </button>
            )}
          </li>
        ))}
      </ul>
      {wish && offer && <CoinDialog wish={wish} offer={offer} onClose={close} />}
      {shown && (
        <Dialog
          title="Pay by coin"
          text={`${dollars(Number(shown.usdAmount))} in ${COINS[shown.currency].name}`}
          onClose={() => setShown(undefined)}
        >
          <PaymentSheet first={shown} onClose={() => setShown(undefined)} />
        </Dialog>
      )}
    </Part>
  )
}
