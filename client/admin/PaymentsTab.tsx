import { useState } from 'react'
import { LIMITS } from '../../contract/ground/limits.ts'
import { coinReviewsApi } from '../../contract/money/coinreviews.ts'
import { useEnv } from '../ui/env.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { CardPayments } from './CardPayments.tsx'
import { CoinAddresses } from './CoinAddresses.tsx'
import { CoinReview } from './CoinReview.tsx'
import { FindPayment } from './FindPayment.tsx'
import { Pager } from './Pager.tsx'
import { useLoaded } from './useLoaded.tsx'
import './payments.css'

/** Money in coins that waits for a person, and payments that are sent back. */
export function PaymentsTab() {
  const env = useEnv()
  const [page, setPage] = useState(1)
  const { value, failure, reload } = useLoaded(`coin-reviews ${page}`, () => env.api(coinReviewsApi.list, { page }))
  return (
    <>
      <p className="t2">
        Money that came late, twice, in another amount or in another token. Nothing of it is lost: it lies at the address, in your
        wallet. This server holds no key and sends nothing by itself.
      </p>
      {!value && <NotRead words="The payments could not be loaded." failure={failure ?? null} onRetry={reload} />}
      {value && failure && <NotRead words="The payments may be out of date." failure={failure} onRetry={reload} />}
      {value?.reviews.length === 0 && <p className="none">Nothing waits for you.</p>}
      {value && value.reviews.length > 0 && (
        <ul className="payment-rows" aria-label="Payments that need review">
          {value.reviews.map((review) => (
            <CoinReview key={review.id} review={review} onSettled={reload} />
          ))}
        </ul>
      )}
      {value && <Pager page={page} size={LIMITS.adminPage} total={value.total} onPage={setPage} />}
      <FindPayment />
      <CoinAddresses />
      <CardPayments />
    </>
  )
}
