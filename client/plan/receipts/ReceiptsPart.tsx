import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { type Receipt, receiptsApi } from '../../../contract/money/receipts.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { NotRead } from '../../ui/NotRead.tsx'
import { Part } from '../../ui/Part.tsx'
import { shownDay } from '../plans/planLines.ts'
import { BusinessForm } from './BusinessForm.tsx'
import { planWords, signedWords, titleOf } from './receiptWords.ts'
import './receipts.css'

type Page = { receipts: Receipt[]; hasMore: boolean }

/** The receipts of the account, and the business that the next ones name. */
export function ReceiptsPart() {
  const env = useEnv()
  const [page, setPage] = useState<Page>()
  const [failure, setFailure] = useState<string | null>(null)
  const [isPending, setPending] = useState(false)
  /** Counts the questions: of several answers under way the newest question's counts. */
  const newest = useRef(0)

  async function load(earlier?: Page) {
    newest.current += 1
    const asked = newest.current
    setPending(true)
    try {
      const before = earlier?.receipts.at(-1)?.seq
      const { receipts, hasMore } = await env.api(receiptsApi.list, before === undefined ? {} : { before })
      if (asked !== newest.current) return
      setPage({ receipts: [...(earlier?.receipts ?? []), ...receipts], hasMore })
      setFailure(null)
    } catch (error) {
      if (asked === newest.current) setFailure(failureWords(error))
    } finally {
      if (asked === newest.current) setPending(false)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: anew when something was paid, or the connection is back
  useEffect(() => {
    void load()
    const offs = [env.socket.on('account', () => void load()), env.socket.on('hello', () => void load())]
    return () => {
      for (const off of offs) off()
    }
  }, [env])

  return (
    <>
      <Part title="Receipts" text="One for each payment by card or coin, and one for what was paid back.">
        {!page && <NotRead words="The receipts could not be loaded." failure={failure} onRetry={() => void load()} />}
        {page && failure && <NotRead words="The receipts may be out of date." failure={failure} onRetry={() => void load()} />}
        {page?.receipts.length === 0 && <p className="t2">Nothing was paid yet.</p>}
        {page && page.receipts.length > 0 && (
          <ul className="receipt-rows" aria-label="Receipts">
            {page.receipts.map((receipt) => (
              <li key={receipt.seq}>
                <ReceiptLink receipt={receipt} href={`/receipts/${receipt.number}`} />
              </li>
            ))}
          </ul>
        )}
        {page?.hasMore && (
          <button type="button" className="btn compact outline" disabled={isPending} onClick={() => void load(page)}>
            {isPending ? 'Loading...' : 'Older receipts'}
          </button>
        )}
      </Part>
      <BusinessForm />
    </>
  )
}

/** A line of a list of receipts, which opens it. */
export function ReceiptLink({ receipt, href }: { receipt: Receipt; href: string }) {
  const { number, isTest, printed } = receipt
  return (
    <Link href={href}>
      <span>
        <b>{number}</b> <span className="t2">{titleOf(receipt)}</span>
        <br />
        <span className="small t2">
          {planWords(printed)} · {shownDay(printed.paidAt)}
          {isTest && ' · test money'}
        </span>
      </span>
      <span className="num">{signedWords(printed, printed.amountCents)}</span>
    </Link>
  )
}
