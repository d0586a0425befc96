import { type ReactNode, useState } from 'react'
import { coinReviewsApi, type CoinReview as Review, type ReviewOutcome } from '../../contract/money/coinreviews.ts'
import { AlertDialog } from '../ui/AlertDialog.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { useEnv } from '../ui/env.tsx'
import { moment } from '../ui/time.ts'
import { amountWords, assetWords, cameTo, dollarWords, LABELS, questionOf, REASONS } from './coinwords.ts'
import { SentBack } from './SentBack.tsx'
import { useAct } from './useAct.tsx'

interface Props {
  review: Review
  onSettled: () => void
}

/** Money that waits for a person: what happened, and what can be done about it. */
export function CoinReview({ review, onSettled }: Props) {
  const env = useEnv()
  const { act, isPending, dialog } = useAct()
  const [asked, setAsked] = useState<ReviewOutcome>()
  const name = `@${review.payer.username.toLowerCase()}`
  const { title, text } = REASONS[review.reason]

  async function settle(outcome: ReviewOutcome, transactionHash?: string) {
    const { done } = questionOf(outcome, review)
    const run = () =>
      env.api(coinReviewsApi.settle, { reviewId: review.id, outcome, ...(transactionHash && { transactionHash }) })
    const isDone = await act({ run, done, failed: 'Nothing was changed' })
    // The form keeps what was typed until it is noted.
    if (isDone || outcome !== 'refunded') setAsked(undefined)
    // Another administrator may have been first: the list shows it.
    onSettled()
  }

  const question = asked && questionOf(asked, review)
  return (
    <li>
      <header>
        <p>
          <b>{title}</b> <span className="t2">{text}</span>
        </p>
        <p className="num what">
          {assetWords(review)}
          {review.assetCents !== null && <span className="t2"> · {dollarWords(review.assetCents)}</span>}
        </p>
      </header>
      <dl className="payment-facts">
        <Fact name="From">
          <b>{name}</b>
        </Fact>
        <Fact name="Asked for">
          <span className="num">
            {amountWords(review)} · {dollarWords(review.usdCents)}
          </span>{' '}
          <span className="t2">on {moment(new Date(review.createdAt))}</span>
        </Fact>
        <Long name={cameTo(review)} text={review.paymentAddress} label="Copy the address it came to" />
        {review.transactions.map((each) => (
          <Long key={each} name="Transaction" text={each} label="Copy the transaction" />
        ))}
        {review.walletAddress && <Long name="Refund to" text={review.walletAddress} label="Copy the refund address" />}
        <Fact name="Noticed">{moment(new Date(review.noticedAt))}</Fact>
      </dl>
      <div className="payment-acts">
        {review.outcomes.map((outcome) => (
          <button
            key={outcome}
            type="button"
            className="btn compact outline"
            disabled={isPending}
            aria-label={`${LABELS[outcome]}, ${assetWords(review)} of ${name}`}
            onClick={() => setAsked(outcome)}
          >
            {LABELS[outcome]}
          </button>
        ))}
      </div>
      {asked === 'refunded' && question && (
        <SentBack
          title={question.title}
          text={question.text}
          isPending={isPending}
          onSend={(hash) => void settle('refunded', hash)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked && asked !== 'refunded' && question && (
        <AlertDialog
          title={question.title}
          text={question.text}
          action={LABELS[asked]}
          pendingAction="Working..."
          isPending={isPending}
          isHarmless={asked === 'credited'}
          onConfirm={() => void settle(asked)}
          onCancel={() => setAsked(undefined)}
        />
      )}
      {dialog}
    </li>
  )
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** An address or a transaction, whole, to be copied. */
export function Long({ name, text, label }: { name: string; text: string; label: string }) {
  return (
    <Fact name={name}>
      <span className="mono hash">{text}</span>
      <CopyButton text={text} label={label} />
    </Fact>
  )
}
