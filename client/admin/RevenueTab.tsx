import { CircleAlert, CreditCard, Info } from 'lucide-react'
import { adminApi } from '../../contract/admin/admin.ts'
import { Counters } from '../ui/Counters.tsx'
import { useEnv } from '../ui/env.tsx'
import { Note } from '../ui/Note.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { moment } from '../ui/time.ts'
import { countWords, csvOf, moneyWords, saveFile } from './adminWords.ts'
import { Bars } from './Bars.tsx'
import { LedgerExport } from './LedgerExport.tsx'
import { useLoaded } from './useLoaded.tsx'

const monthLabel = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' })
const labelOf = (month: string) => monthLabel.format(new Date(`${month}T00:00:00Z`))

/** Income, from the ledger: what is paid, refunds taken off. Plans that were given are none. */
export function RevenueTab() {
  const env = useEnv()
  const { value, failure, reload } = useLoaded('revenue', () => env.api(adminApi.revenueStats, {}))
  if (!value) return <NotRead words="The revenue could not be loaded." failure={failure ?? null} onRetry={reload} />
  const { months, granted, premiumMRR } = value

  function save() {
    const rows = months.map(({ month, recurring, paid, refunded }) => [month.slice(0, 7), recurring.toFixed(2), paid, refunded])
    saveFile('revenue.csv', csvOf([['month', 'recurring', 'paid', 'refunded'], ...rows]), 'text/csv')
  }

  return (
    <>
      <Counters
        areAmounts
        counters={[
          { name: 'Monthly recurring revenue', value: moneyWords(value.monthlyRecurringRevenue) },
          { name: 'Average revenue per user', value: moneyWords(value.averageRevenuePerUser), note: 'of all accounts' },
          { name: 'Premium subscribers', value: countWords(value.premiumSubscribers) },
          { name: 'Premium MRR', value: moneyWords(premiumMRR) },
          { name: 'Annual projection', value: moneyWords(premiumMRR * 12), note: 'premium MRR × 12' },
        ]}
      />
      <div className="bar">
        <p className="t2">
          From the ledger, by UTC months. {granted === 1 && 'One plan that was given is not counted as income.'}
          {granted > 1 && `${countWords(granted)} plans that were given are not counted as income.`}
        </p>
        <button type="button" className="btn compact outline" onClick={save}>
          Download CSV
        </button>
      </div>
      <Bars
        title="Monthly recurring revenue"
        note="Paid periods; yearly divided by 12, refunds out"
        bars={months.map(({ month, recurring }) => ({
          label: labelOf(month),
          value: recurring,
          words: moneyWords(recurring),
        }))}
      />
      <Bars
        title="Paid a month"
        note="Before refunds, which stand in the table"
        bars={months.map(({ month, paid, refunded }) => ({
          label: labelOf(month),
          value: paid,
          words: refunded > 0 ? `${moneyWords(paid)}, ${moneyWords(refunded)} back` : moneyWords(paid),
        }))}
      />
      <LedgerExport />
      <Provider />
    </>
  )
}

/** The answer of the card provider, asked when the tab opens. */
function Provider() {
  const env = useEnv()
  const { value, failure, reload } = useLoaded('card provider', () => env.api(adminApi.cardProvider, {}))
  if (!value) return <NotRead words="The card provider could not be asked." failure={failure ?? null} onRetry={reload} />
  const { provider, state, checkedAt } = value
  if (state === 'off') return <Note icon={Info}>Card payment is not set up on this server.</Note>
  const checked = `Checked ${moment(new Date(checkedAt))}.`
  if (state === 'connected')
    return (
      <Note icon={CreditCard} role="status">
        <strong>Payment provider connected.</strong> {provider === 'sandbox' && 'Sandbox, no real money.'} {checked}
      </Note>
    )
  return (
    <Note icon={CircleAlert} tone="danger" role="alert">
      <strong>Payment provider not connected.</strong>{' '}
      {state === 'refused' ? 'It refuses the key of this server.' : 'It does not answer.'} {checked}{' '}
      <button type="button" className="linkish" onClick={reload}>
        Check again
      </button>
    </Note>
  )
}
