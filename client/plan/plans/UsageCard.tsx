import { TriangleAlert } from 'lucide-react'
import type { Usage } from '../../../contract/money/payments.ts'
import { Note } from '../../ui/Note.tsx'
import { usageLinesOf } from './planLines.ts'

/** What the account has used this month, and keeps of files. A plan without any limit has no such card. */
export function UsageCard({ usage, isReceived }: { usage: Usage; isReceived: boolean }) {
  const lines = usageLinesOf(usage, isReceived)
  if (lines.length === 0) return null
  const told = lines.find(({ state }) => state === 'full') ?? lines.find(({ state }) => state === 'near')
  return (
    <div className="usage">
      {lines.map(({ name, used, limit, unit, state, percent }) => (
        <div key={name}>
          <p>
            <span>{name}</span>
            <span className="num">
              <b>{used}</b>
              {limit !== null && ` of ${limit}`}
              {unit}
            </span>
          </p>
          {limit !== null && <meter className={state} aria-label={name} min={0} max={100} value={percent} />}
        </div>
      ))}
      {told && (
        <Note icon={TriangleAlert}>
          <strong>
            {told.name}: {told.state === 'full' ? 'limit reached.' : 'more than 80 %.'}
          </strong>{' '}
          {isReceived
            ? 'Nothing is lost: messages keep arriving, and no call is cut.'
            : told.isKept
              ? 'Delete files or upgrade your plan.'
              : 'Upgrade your plan or wait until next month.'}
        </Note>
      )}
    </div>
  )
}
