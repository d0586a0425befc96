import { ShieldCheck } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import type { z } from 'zod'
import { auditApi } from '../../../contract/admin/audit.ts'
import { PLANS, tierShape } from '../../../contract/money/plans.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { NotRead } from '../../ui/NotRead.tsx'
import { moment } from '../../ui/time.ts'

type OwnAct = z.infer<typeof auditApi.own.output>[number]

const WORDS: Record<string, string> = {
  deactivate: 'The account was blocked',
  reactivate: 'The block was taken back',
  'reset-usage': 'The counters of the month were set to 0',
  'make-admin': 'The account was made an administrator',
  'remove-admin': 'The administrator’s rights were taken',
  refund: 'A payment was sent back',
}

export function Administration() {
  const env = useEnv()
  const [acts, setActs] = useState<OwnAct[]>()
  const [failure, setFailure] = useState<string | null>(null)
  const load = useCallback(() => {
    setFailure(null)
    env.api(auditApi.own, {}).then(setActs, (error) => setFailure(failureWords(error)))
  }, [env])
  useEffect(() => {
    load()
    return env.socket.on('account', load)
  }, [env, load])
  if (!acts) return <NotRead words="What administrators did could not be loaded." failure={failure} onRetry={load} />
  if (acts.length === 0) return <p className="small t2">Nothing in the last 90 days.</p>
  return (
    <ul className="lines" aria-label="What administrators did">
      {acts.map((act) => (
        <li key={act.seq}>
          <ShieldCheck className="i" aria-hidden />
          <div>
            <b>{wordsOf(act)}</b>
            <p>{moment(new Date(act.at))}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}

const SETTLED: Record<string, string> = {
  credited: 'A payment in coins was accepted: the plan was given for it',
  refunded: 'Money of a payment in coins was sent back',
  withdrawn: 'The plan of a payment in coins ended: the chain does not show the payment any more',
  kept: 'A payment in coins was looked at. Nothing more is done about it',
}

function wordsOf({ act, after }: OwnAct): string {
  if (act === 'settle-payment') {
    const { outcome } = JSON.parse(after) as { outcome?: unknown }
    return SETTLED[String(outcome)] ?? 'A payment in coins was looked at'
  }
  if (act !== 'subscription') return WORDS[act] ?? 'The account was changed'
  const { tier } = JSON.parse(after) as { tier?: unknown }
  if (tier === undefined) return 'The card subscription was ended'
  const known = tierShape.safeParse(tier).data
  return known ? `The plan was set to ${PLANS[known].name}` : 'The plan was changed'
}
