import { CircleAlert, CircleCheck, Clock, CloudOff } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { COINS, type CoinPayment } from '../../../contract/money/coins.ts'
import { isOnionOrigin } from '../../net/onion.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { useEnv, useNow } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { More } from '../../ui/More.tsx'
import { Note } from '../../ui/Note.tsx'
import { Qr } from '../../ui/Qr.tsx'
import { useOnline } from '../../ui/useOnline.tsx'
import { isOpen, isOver, isShort, statusWords, submitTransaction } from './coins.ts'
import { usePayment } from './usePayment.tsx'
import './coins.css'
import { VERBATIM } from '../../ui/verbatim.ts'

interface Props {
  first: CoinPayment
  onClose: () => void
  /** Asks anew, after this one has expired. */
  onAgain?: () => void
}

/** A payment with what a wallet needs, until it is paid. */
export function PaymentSheet({ first, onClose, onAgain }: Props) {
  const { payment, submitted, isLooking, isCut } = usePayment(first, onClose)
  const isOnline = useOnline()
  const { symbol, name } = COINS[payment.currency]
  const { status, dueAmount, paymentAddress, paymentUri } = payment
  const now = useNow(1000)
  const isAsked = status === 'pending' && !isOver(payment, now)
  return (
    <div className="coin-sheet">
      {isAsked && (
        <>
          <div className="coin-code">
            <Qr text={paymentUri} label={`${dueAmount} ${symbol} to ${paymentAddress}`} sizePx={216} />
          </div>
          <dl>
            <dt>{isShort(payment) ? 'What is missing' : 'Amount'}</dt>
            <dd>
              <span className="mono num">
                {dueAmount} {symbol}
              </span>
              <CopyButton text={dueAmount} label="Copy the amount" />
            </dd>
            <dt>Address</dt>
            <dd>
              <span className="mono coin-address">{paymentAddress}</span>
              <CopyButton text={paymentAddress} label="Copy the address" />
            </dd>
          </dl>
          <p className="small t2">
            Send exactly this amount, in {name} alone. Close this whenever you like: the Plan tab keeps it.
          </p>
        </>
      )}
      <Standing payment={payment} now={now} />
      {(isCut || !isOnline) && isOpen(payment) && (
        <Note icon={CloudOff} role="status">
          There is no connection to the server. This is what was known last; what you send is found afterwards.
        </Note>
      )}
      {(status === 'pending' || status === 'expired') && (
        <Named payment={payment} isLooking={isLooking} onSubmitted={submitted} />
      )}
      {isAsked && isOnionOrigin() && (
        <p className="small t2">A wallet has a connection of its own: what it shows of you does not depend on this page.</p>
      )}
      <footer>
        {status === 'expired' && onAgain && (
          <button type="button" className="btn primary" onClick={onAgain}>
            Start again
          </button>
        )}
        {isAsked && (
          <a className="btn outline" href={paymentUri}>
            Open in a wallet
          </a>
        )}
        <button type="button" className="btn outline" onClick={onClose}>
          Close
        </button>
      </footer>
    </div>
  )
}

function Standing({ payment, now }: { payment: CoinPayment; now: Date }) {
  const { status, currency, blockConfirmations, expiresAt } = payment
  const { confirmations } = COINS[currency]
  const left = Math.max(0, Math.ceil((Date.parse(expiresAt) - now.getTime()) / 1000))
  const [icon, tone] =
    status === 'confirmed'
      ? ([CircleCheck, 'ok'] as const)
      : isOpen(payment)
        ? ([Clock, 'acc'] as const)
        : ([CircleAlert, 'plain'] as const)
  return (
    <>
      <Note icon={icon} tone={tone} role="status">
        {statusWords(payment, now)}
      </Note>
      {status === 'confirming' && (
        <progress aria-label="Confirmations" max={confirmations} value={Math.min(blockConfirmations, confirmations)} />
      )}
      {status === 'pending' && left > 0 && (
        <p className="num coin-left" role="timer">
          {`${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left at this price`}
        </p>
      )}
      {status === 'pending' && left === 0 && <p className="small t2">Send nothing more to this address.</p>}
    </>
  )
}

interface NamedProps {
  payment: CoinPayment
  isLooking: boolean
  onSubmitted: (payment: CoinPayment) => void
}

/** For whoever has sent it and wonders: names the transaction. */
function Named({ payment, isLooking, onSubmitted }: NamedProps) {
  const env = useEnv()
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string>()
  const [isPending, setPending] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!/^(0x)?[0-9a-f]{64}$/i.test(typed.trim())) return setError('A transaction has 64 characters of 0-9 and a-f')
    setPending(true)
    setError(undefined)
    try {
      onSubmitted(await submitTransaction(env, payment, typed))
    } catch (reason) {
      setError(failureWords(reason))
    } finally {
      setPending(false)
    }
  }

  return (
    <More title="Sent already?">
      <form onSubmit={submit} noValidate>
        <Field
          label="Transaction"
          value={typed}
          error={error}
          help={
            <p className="help">
              {isLooking
                ? 'The server looks for it every 30 seconds, for 30 minutes.'
                : 'Not needed: the server finds the payment by its address.'}
            </p>
          }
          {...VERBATIM}
          onValue={(value) => {
            setTyped(value)
            setError(undefined)
          }}
        />
        <button type="submit" className="btn outline compact" disabled={isPending || typed.trim() === ''}>
          {isPending ? 'Looking...' : 'Look for it'}
        </button>
      </form>
    </More>
  )
}
