import { adminApi } from '../../contract/admin/admin.ts'
import { bytesWords } from '../ui/bytes.ts'
import { useEnv } from '../ui/env.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { Part } from '../ui/Part.tsx'
import { moment } from '../ui/time.ts'
import { countWords } from './adminWords.ts'
import {
  CARDS_TEXT,
  CARDS_TITLE,
  CHECK_NAMES,
  CHECKS_AWAITED,
  CHECKS_TEXT,
  CHECKS_TITLE,
  checkWords,
  errorWords,
  leftOutWords,
  momentWords,
  refusedWords,
} from './systemWords.ts'
import { useLoaded } from './useLoaded.tsx'

/** What runs here, of the server process that has answered. */
export function SystemTab() {
  const env = useEnv()
  const { value, failure, reload } = useLoaded('system', () => env.api(adminApi.system, {}))
  if (!value) return <NotRead words="The state of the server could not be loaded." failure={failure ?? null} onRetry={reload} />
  const server: [string, string][] = [
    ['Contract', `version ${value.contractVersion}`],
    ['Node', value.nodeVersion],
    ['Started', moment(new Date(value.startedAt))],
    ['Server processes', countWords(value.processes)],
    ['Open sockets here', countWords(value.sockets)],
    ['Answers here', `${countWords(value.answers)}, of which ${countWords(value.errors)} were errors of the server`],
  ]
  const database: [string, string][] = [
    ['PostgreSQL', value.databaseVersion],
    ['Size', bytesWords(value.databaseBytes)],
    ['Migrations', countWords(value.migrations)],
  ]
  return (
    <>
      <Part title="Server" text="The process that has answered this page.">
        <Facts facts={server} />
      </Part>
      <Part title="Database">
        <Facts facts={database} />
      </Part>
      <Part title={CHECKS_TITLE} text={CHECKS_TEXT}>
        {value.checks.length === 0 && <p className="small">{CHECKS_AWAITED}</p>}
        <Facts facts={value.checks.map((check) => [CHECK_NAMES[check.name], checkWords(check)])} />
        {value.checks
          .filter(({ lines }) => lines.length > 0)
          .map((check) => (
            <ul key={check.name} className="check-lines" aria-label={CHECK_NAMES[check.name]}>
              {check.lines.map((line) => (
                <li key={line}>{line}</li>
              ))}
              {leftOutWords(check) && <li>{leftOutWords(check)}</li>}
            </ul>
          ))}
      </Part>
      {value.cards && (
        <Part title={CARDS_TITLE} text={CARDS_TEXT}>
          <Facts
            facts={[
              ['Last event', momentWords(value.cards.lastEventAt)],
              ['Events with a wrong signature', refusedWords(value.cards.refusedEvents, value.cards.lastRefusedAt)],
              ...value.cards.errors.map((error): [string, string] => [momentWords(error.at), errorWords(error)]),
            ]}
          />
        </Part>
      )}
      <Part title="Periodic work" text="When each job began last, and how it ended.">
        <Facts
          facts={value.jobs.map(({ name, lastStartedAt, outcome }) => [name, `${moment(new Date(lastStartedAt))} · ${outcome}`])}
        />
      </Part>
      <Part title="First administrator" text="On the machine of the server, for whom nobody can make one here.">
        <p className="mono small">npm run account -- make-admin &lt;username&gt;</p>
      </Part>
    </>
  )
}

function Facts({ facts }: { facts: [string, string][] }) {
  if (facts.length === 0) return null
  return (
    <dl className="facts-list">
      {facts.map(([name, words], place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: errors of one moment have one name
        <div key={place}>
          <dt>{name}</dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  )
}
