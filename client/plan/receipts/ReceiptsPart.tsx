import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { type Receipt, receiptsApi } from '../../../contract/money/receipts.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { NotRead } from '../../ui/NotRead.tsx'
import { Part } from '../../ui/Part.tsx'
import { useFocusBack } from '../../ui/useFocusBack.tsx'
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
  const noteFocus = useFocusBack(isPending)
  /** Counts the questions: of several answers under way the newest question's counts. */
  const newest = useRef(0)

  async function load() {
    newest.current += 1
    const asked = newest.current
    try {
      const read = await env.api(receiptsApi.list, {})
      if (asked !== newest.current) return
      setPage((shown) => withNewest(read, shown))
      setFailure(null)
    } catch (error) {
      if (asked === newest.current) setFailure(failureWords(error))
    }
  }
  async function loadOlder(before: number) {
    noteFocus()
    setPending(true)
    try {
      const { receipts, hasMore } = await env.api(receiptsApi.list, { before })
      setPage((shown) => ({ receipts: [...(shown?.receipts.filter(({ seq }) => seq >= before) ?? []), ...receipts], hasMore }))
      setFailure(null)
    } catch (error) {
      setFailure(failureWords(error))
    } finally {
      setPending(false)
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
          <button
            type="button"
            className="btn compact outline"
            disabled={isPending}
            onClick={() => void loadOlder(page.receipts.at(-1)?.seq ?? 0)}
          >
            {isPending ? 'Loading...' : 'Older receipts'}
          </button>
        )}
      </Part>
      <BusinessForm />
    </>
  )
}

/** Keeps the older ones that were read, unless more is new than a page. */
function withNewest(newest: Page, shown: Page | undefined): Page {
  const last = newest.receipts.at(-1)
  const older = shown?.receipts.filter(({ seq }) => last !== undefined && seq < last.seq) ?? []
  const isJoined = shown?.receipts.some(({ seq }) => seq === last?.seq) === true
  return isJoined && older.length > 0 ? { receipts: [...newest.receipts, ...older], hasMore: shown.hasMore } : newest
}

/** A line of a list of receipts, which opens it. */
export function ReceiptLink({ receipt, href }: { receipt: Receipt; href: string }) {
  const { number, isTest, printed } = receipt
  return (
    <Link href={href} state={{ isFromList: true }}>
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
