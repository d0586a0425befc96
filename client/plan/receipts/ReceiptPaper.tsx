import type { ReactNode } from 'react'
import type { Party, Receipt } from '../../../contract/money/receipts.ts'
import { shownDay } from '../plans/planLines.ts'
import { coinWords, notesOf, periodWords, planWords, rateWords, signedWords, titleOf, whatWords } from './receiptWords.ts'
import './receipts.css'

/** A receipt as it is printed. It says what it was written with, and nothing that the account has now. */
export function ReceiptPaper({ receipt }: { receipt: Receipt }) {
  const { number, issuedAt, printed } = receipt
  const { amountCents, taxCents, source, coin, reference, seller, buyer } = printed
  return (
    <>
      <header>
        <h2>{titleOf(receipt)}</h2>
        <p className="num">{number}</p>
      </header>
      {(seller || buyer) && (
        <div className="receipt-parties">
          {seller && <Named as="Seller" party={seller} />}
          {buyer && <Named as="Buyer" party={buyer} />}
        </div>
      )}
      <dl>
        <Line name="Issued">{shownDay(issuedAt)}</Line>
        <Line name={whatWords(printed)}>{shownDay(printed.paidAt)}</Line>
        <Line name="Plan">{planWords(printed)}</Line>
        <Line name="Period">{periodWords(printed)}</Line>
        <Line name="By">{source === 'card' ? 'Card' : 'Coin'}</Line>
        {coin?.units && <Line name="Amount in coin">{coinWords({ ...coin, units: coin.units })}</Line>}
        {coin?.rate && <Line name="Rate">{rateWords({ ...coin, rate: coin.rate })}</Line>}
        {reference && (
          <Line name={source === 'card' ? 'Reference' : 'Transaction'}>
            <span className="mono">{reference}</span>
          </Line>
        )}
      </dl>
      <dl className="receipt-sums num">
        {taxCents !== null && (
          <>
            <Line name="Without tax">{signedWords(printed, amountCents - taxCents)}</Line>
            <Line name="Tax">{signedWords(printed, taxCents)}</Line>
          </>
        )}
        <Line name="Total, US dollars">
          <b>{signedWords(printed, amountCents)}</b>
        </Line>
      </dl>
      {notesOf(receipt).map((note) => (
        <p key={note} className="small">
          {note}
        </p>
      ))}
    </>
  )
}

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function Named({ as, party: { name, address, taxId } }: { as: string; party: Party }) {
  return (
    <section aria-label={as}>
      <h3>{as}</h3>
      <p dir="auto">
        <b>{name}</b>
      </p>
      {address && <p dir="auto">{address}</p>}
      {taxId && <p>Tax id {taxId}</p>}
    </section>
  )
}
