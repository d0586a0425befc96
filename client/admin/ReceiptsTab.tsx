import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'wouter'
import { ledgerApi, RECEIPT_LIMITS } from '../../contract/money/receipts.ts'
import { ReceiptView } from '../plan/receipts/ReceiptPage.tsx'
import { ReceiptLink } from '../plan/receipts/ReceiptsPart.tsx'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { VERBATIM } from '../ui/verbatim.ts'
import { Older } from './Older.tsx'
import { useLoaded } from './useLoaded.tsx'
import './payments.css'

/** The receipts of everybody, by number and without whose they are. One that is open stands in the place of the list. */
export function ReceiptsTab() {
  const env = useEnv()
  const [search, setSearch] = useSearchParams()
  const opened = search.get('number')
  const [place, setPlace] = useState<Place>({ typed: '', number: '', before: undefined })
  if (opened === null) return <ReceiptList place={place} onPlace={setPlace} />
  return (
    <ReceiptView
      key={opened}
      heading="h2"
      back="Back to the receipts"
      number={opened}
      read={() => env.api(ledgerApi.receipt, { number: opened })}
      onBack={() => setSearch({ tab: 'receipts' })}
    />
  )
}

/** What stands in the list; it outlives a look at a receipt. */
interface Place {
  typed: string
  number: string
  before: number | undefined
}

function ReceiptList({ place, onPlace }: { place: Place; onPlace: (place: Place) => void }) {
  const env = useEnv()
  const { typed, number, before } = place
  const setBefore = (next: number | undefined) => onPlace({ ...place, before: next })
  const { value, failure, reload } = useLoaded(JSON.stringify([number, before]), () =>
    env.api(ledgerApi.receipts, { ...(number && { number }), ...(before !== undefined && { before }) }),
  )

  function find(event: FormEvent) {
    event.preventDefault()
    onPlace({ typed, number: typed.trim().toUpperCase(), before: undefined })
  }

  return (
    <>
      <p className="t2">
        One for each payment, and one for what was paid back. They name the business that a payer has typed, and no account. To
        find whose payment it was, export the ledger in the Revenue tab.
      </p>
      <section className="receipt-find payment-find" aria-label="Find a receipt">
        <form onSubmit={find} noValidate>
          <Field
            label="Receipt number"
            value={typed}
            maxLength={RECEIPT_LIMITS.numberMax}
            {...VERBATIM}
            onValue={(next) => onPlace({ ...place, typed: next })}
          />
          <button type="submit" className="btn outline">
            Search
          </button>
        </form>
      </section>
      {!value && <NotRead words="The receipts could not be loaded." failure={failure ?? null} onRetry={reload} />}
      {value && failure && <NotRead words="The receipts may be out of date." failure={failure} onRetry={reload} />}
      <div role="status">
        {value?.receipts.length === 0 && (
          <p className="none">{number ? 'No receipt has this number.' : 'Nothing was paid yet.'}</p>
        )}
      </div>
      {value && value.receipts.length > 0 && (
        <ul className="receipt-rows" aria-label="Receipts">
          {value.receipts.map((receipt) => (
            <li key={receipt.seq}>
              <ReceiptLink receipt={receipt} href={`/admin?tab=receipts&number=${encodeURIComponent(receipt.number)}`} />
            </li>
          ))}
        </ul>
      )}
      {value && (
        <Older
          isNewest={before === undefined}
          hasMore={value.hasMore}
          onNewest={() => setBefore(undefined)}
          onOlder={() => setBefore(value.receipts.at(-1)?.seq)}
        />
      )}
    </>
  )
}
