import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { COINS, type CoinPayment } from '../../contract/coins.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { Part } from '../ui/Part.tsx'
import { moment } from '../ui/time.ts'
import { isOpen, loadPayments, statusWords } from './coins.ts'
import { PaymentSheet } from './PaymentSheet.tsx'
import { paymentsStore } from './store.ts'
import './coins.css'

/** The account's payments by coin, where there are any. One that waits for money can be opened again. */
export function CoinPayments() {
  const env = useEnv()
  const payments = useStore(paymentsStore, (state) => state.payments)
  const [shown, setShown] = useState<CoinPayment>()
  // Without an answer the list is what was known; the note above the page says that there is no connection.
  useEffect(() => void loadPayments(env).catch(() => undefined), [env])
  if (payments.length === 0) return null
  return (
    <Part title="Payments by coin" text="What comes late, twice or in another amount is never lost: a person looks at it.">
      <ul className="coin-list">
        {payments.map((payment) => (
          <li key={payment.id}>
            <div>
              <b className="num">
                {payment.amount} {COINS[payment.currency].symbol}
              </b>
              <span>
                {moment(new Date(payment.createdAt))} · {statusWords(payment)}
              </span>
            </div>
            {isOpen(payment) && (
              <button type="button" className="btn outline compact" onClick={() => setShown(payment)}>
                Show
              </button>
            )}
          </li>
        ))}
      </ul>
      {shown && (
        <Dialog
          title="Pay by coin"
          text={`$${shown.usdAmount} in ${COINS[shown.currency].name}`}
          onClose={() => setShown(undefined)}
        >
          <PaymentSheet first={shown} onClose={() => setShown(undefined)} />
        </Dialog>
      )}
    </Part>
  )
}
