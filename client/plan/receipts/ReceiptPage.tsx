import { ChevronLeft, Printer } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useLocation } from 'wouter'
import { type Receipt, receiptsApi } from '../../../contract/money/receipts.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { NotRead } from '../../ui/NotRead.tsx'
import { ReceiptPaper } from './ReceiptPaper.tsx'

/** The page of one receipt of the account. */
export function ReceiptPage({ number }: { number: string }) {
  const env = useEnv()
  const [, navigate] = useLocation()
  return (
    <div className="settings">
      <main className="page">
        <ReceiptView
          key={number}
          heading="h1"
          back="Back to your plan"
          number={number}
          read={() => env.api(receiptsApi.read, { number })}
          onBack={() => (history.state?.isFromList ? history.back() : navigate('/settings?tab=plan'))}
        />
      </main>
    </div>
  )
}

interface Props {
  heading: 'h1' | 'h2'
  /** Says where the way back leads. */
  back: string
  number: string
  read: () => Promise<Receipt>
  onBack: () => void
}

/** Shows a receipt and prints it alone. */
export function ReceiptView({ heading: Heading, back, number, read, onBack }: Props) {
  const title = useRef<HTMLHeadingElement>(null)
  const [receipt, setReceipt] = useState<Receipt>()
  const [failure, setFailure] = useState<string | null>(null)
  const load = () => {
    setFailure(null)
    read().then(setReceipt, (error) => setFailure(failureWords(error)))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a receipt never changes
  useEffect(() => {
    title.current?.focus()
    load()
  }, [])
  return (
    <>
      <header className="receipt-head">
        <IconButton icon={ChevronLeft} label={back} onClick={onBack} />
        <Heading ref={title} tabIndex={-1}>
          Receipt {number}
        </Heading>
        {receipt && (
          <button type="button" className="btn outline" onClick={() => window.print()}>
            <Printer className="i i-16" aria-hidden />
            Print
          </button>
        )}
      </header>
      {!receipt && <NotRead words="The receipt could not be loaded." failure={failure} onRetry={load} />}
      {receipt && (
        <article className="receipt-paper" aria-label="The page that is printed">
          <ReceiptPaper receipt={receipt} />
        </article>
      )}
      {receipt &&
        createPortal(
          <div className="receipt-paper receipt-sheet">
            <ReceiptPaper receipt={receipt} />
          </div>,
          document.body,
        )}
    </>
  )
}
