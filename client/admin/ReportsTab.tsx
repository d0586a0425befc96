import { useState } from 'react'
import { reportsApi } from '../../contract/chat/reports.ts'
import { useEnv } from '../ui/env.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { moment } from '../ui/time.ts'
import { Older } from './Older.tsx'
import { useLoaded } from './useLoaded.tsx'

/** What people have reported of others, as far as they have disclosed it. */
export function ReportsTab() {
  const env = useEnv()
  const [before, setBefore] = useState<string>()
  const { value, failure, reload } = useLoaded(before ?? '', () =>
    env.api(reportsApi.list, before === undefined ? {} : { before }),
  )
  if (!value) return <NotRead words="The reports could not be loaded." failure={failure ?? null} onRetry={reload} />
  return (
    <>
      <p className="t2">
        Texts are what the reporter disclosed. The server cannot read a message: it only knows that the reported person sent one
        at that place and time.
      </p>
      {failure && <NotRead words="The reports may be out of date." failure={failure} onRetry={reload} />}
      {value.reports.length === 0 && <p className="none">Nothing was reported.</p>}
      <ul className="trail" aria-label="Reports">
        {value.reports.map(({ id, at, reporter, reported, category, text, messages }) => (
          <li key={id}>
            <p>
              <b>@{reporter.username.toLowerCase()}</b> reported <b>@{reported.username.toLowerCase()}</b>{' '}
              <span className="badge">{category}</span> {!reported.isActive && <span className="badge">Inactive</span>}
            </p>
            {text && <p dir="auto">{text}</p>}
            {messages.map(({ seq, text: disclosed, sentAt }) => (
              <blockquote key={seq}>
                <p dir="auto" className={disclosed ? undefined : 't2'}>
                  {disclosed || 'No text disclosed'}
                </p>
                <footer className="small t2">
                  Message {seq} ·{' '}
                  {sentAt
                    ? `sent by @${reported.username.toLowerCase()}, ${moment(new Date(sentAt))}`
                    : 'not on the server any more'}
                </footer>
              </blockquote>
            ))}
            <p className="small t2">{moment(new Date(at))}</p>
          </li>
        ))}
      </ul>
      <Older
        isNewest={before === undefined}
        hasMore={value.hasMore}
        onNewest={() => setBefore(undefined)}
        onOlder={() => setBefore(value.reports.at(-1)?.at)}
      />
    </>
  )
}
