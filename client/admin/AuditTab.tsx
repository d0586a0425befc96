import { CircleAlert, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { AUDIT_ACTS, type AuditRow, auditApi } from '../../contract/admin/audit.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { Note } from '../ui/Note.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { moment } from '../ui/time.ts'
import { showToast } from '../ui/toast.ts'
import { countWords, csvOf, saveFile } from './adminWords.ts'
import { nameIn, readAudit } from './audit.ts'
import { Older } from './Older.tsx'
import { Select } from './Select.tsx'
import { useLoaded } from './useLoaded.tsx'

/** What no chain can show by itself. */
const CUT_OFF =
  'Rows that were cut off at the end leave no gap: keep this hash elsewhere, and look for it in the list at the next check.'

const HEAD = ['seq', 'at', 'actor', 'act', 'subject', 'target', 'before', 'after', 'hash']

/** Everything that administrators have done, and whether the trail is whole. */
export function AuditTab() {
  const env = useEnv()
  const [act, setAct] = useState<'' | (typeof AUDIT_ACTS)[number]>('')
  const [username, setUsername] = useState('')
  const [before, setBefore] = useState<number>()
  const filter = { ...(act && { act }), ...(username.trim() && { username: username.trim() }) }
  const { value, failure, reload } = useLoaded(JSON.stringify([filter, before]), () =>
    env.api(auditApi.list, { ...filter, ...(before !== undefined && { before }) }),
  )
  const [checked, setChecked] = useState<{ isWhole: boolean; words: string }>()
  const [isBusy, setBusy] = useState(false)

  async function busy(work: () => Promise<void>, title: string) {
    setBusy(true)
    await work()
      .catch((error) => showToast({ tone: 'bad', title, text: failureWords(error) }))
      .finally(() => setBusy(false))
  }

  const check = () =>
    busy(async () => {
      const { count, brokenAt, newestHash } = await env.api(auditApi.check, {})
      setChecked(
        brokenAt === null
          ? {
              isWhole: true,
              words: `${countWords(count)} rows, each fits the one before.${newestHash ? ` Newest: ${newestHash}. ${CUT_OFF}` : ''}`,
            }
          : { isWhole: false, words: `Row ${brokenAt} was changed, added or taken away after it was written.` },
      )
    }, 'The trail was not checked')

  const save = () =>
    busy(async () => {
      const rows = (await readAudit(env, filter)).map((row) => [
        ...[row.seq, row.at, row.actor?.username ?? 'command line', row.act, row.subject?.username ?? '', row.target],
        ...[row.before, row.after, row.hash],
      ])
      saveFile('audit-trail.csv', csvOf([HEAD, ...rows]), 'text/csv')
    }, 'The trail was not saved')

  return (
    <>
      <div className="bar">
        <div className="input">
          <input
            type="search"
            dir="auto"
            aria-label="Username"
            placeholder="Username of either"
            maxLength={LIMITS.usernameMax}
            value={username}
            onChange={(event) => {
              setUsername(event.target.value)
              setBefore(undefined)
            }}
          />
        </div>
        <div className="filters">
          <Select
            label="Act"
            value={act}
            options={[['', 'All acts'], ...AUDIT_ACTS.map((one) => [one, one] as const)]}
            onChange={(next) => {
              setAct(next)
              setBefore(undefined)
            }}
          />
          <button type="button" className="btn compact outline" disabled={isBusy} onClick={() => void check()}>
            Check the chain
          </button>
          <button type="button" className="btn compact outline" disabled={isBusy} onClick={() => void save()}>
            Download CSV
          </button>
        </div>
      </div>
      {checked && (
        <Note
          icon={checked.isWhole ? ShieldCheck : CircleAlert}
          tone={checked.isWhole ? 'ok' : 'danger'}
          role={checked.isWhole ? 'status' : 'alert'}
        >
          <strong>{checked.isWhole ? 'The trail is whole.' : 'The trail is broken.'}</strong>{' '}
          <span className="hash">{checked.words}</span>
        </Note>
      )}
      {!value && <NotRead words="The audit trail could not be loaded." failure={failure ?? null} onRetry={reload} />}
      {value && failure && <NotRead words="The audit trail may be out of date." failure={failure} onRetry={reload} />}
      {value?.rows.length === 0 && (
        <p className="none">{act || username.trim() ? 'Nothing was done that fits.' : 'Nothing was done yet.'}</p>
      )}
      {value && value.rows.length > 0 && (
        <ol className="trail" aria-label="Audit trail">
          {value.rows.map((row) => (
            <Row key={row.seq} row={row} />
          ))}
        </ol>
      )}
      {value && (
        <Older
          isNewest={before === undefined}
          hasMore={value.hasMore}
          onNewest={() => setBefore(undefined)}
          onOlder={() => setBefore(value.rows.at(-1)?.seq)}
        />
      )}
    </>
  )
}

function Row({ row }: { row: AuditRow }) {
  const whom = row.subject ? `@${row.subject.username.toLowerCase()}` : (nameIn(row) ?? row.target)
  return (
    <li value={row.seq}>
      <p>
        <b>{row.actor ? `@${row.actor.username.toLowerCase()}` : 'Command line'}</b> <span className="badge">{row.act}</span>{' '}
        {whom && <b>{whom}</b>}
      </p>
      <p className="mono small t2 change">{row.before === 'null' ? row.after : `${row.before} → ${row.after}`}</p>
      <p className="small t2">
        {moment(new Date(row.at))} · row {row.seq} · <span className="mono">{row.hash.slice(0, 12)}</span>
      </p>
    </li>
  )
}
