import { type FormEvent, useId, useState } from 'react'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { exportLedger } from './exportLedger.ts'
import { useExport } from './useExport.tsx'

/** Saves each entry of the ledger of some days, for whoever keeps the books. */
export function LedgerExport() {
  const env = useEnv()
  const id = useId()
  const today = env.clock().toISOString().slice(0, 10)
  const [from, setFrom] = useState(`${today.slice(0, 8)}01`)
  const [to, setTo] = useState(today)
  const [error, setError] = useState<{ first?: string; last?: string }>({})
  const { said, isPending, save } = useExport()

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (from === '') return setError({ first: 'Both days are required' })
    if (to === '') return setError({ last: 'Both days are required' })
    if (from > to) return setError({ first: 'The first day must not be after the last' })
    setError({})
    await save(`ledger-${from}-${to}.csv`, (onCount) => exportLedger(env, { from, to }, onCount))
  }

  return (
    <section className="ledger-export" aria-labelledby={id}>
      <h2 id={id}>Ledger</h2>
      <p className="t2">
        Each payment and each return with its key, gross, tax, net, coin, rate and receipt, by UTC days. It names accounts by
        their id, and leaves a row in the audit trail. The fee of the card provider stands in its own reports.
      </p>
      <form onSubmit={submit} noValidate>
        <Field label="First day" type="date" value={from} error={error.first} onValue={setFrom} />
        <Field label="Last day" type="date" value={to} error={error.last} onValue={setTo} />
        <button type="submit" className="btn outline" disabled={isPending}>
          {isPending ? 'Reading...' : 'Download ledger'}
        </button>
      </form>
      <p className="small t2" role="status">
        {said}
      </p>
    </section>
  )
}
