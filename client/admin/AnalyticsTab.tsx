import { adminApi } from '../../contract/admin/admin.ts'
import { bytesWords } from '../ui/bytes.ts'
import { Counters } from '../ui/Counters.tsx'
import { useEnv } from '../ui/env.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { countWords, csvOf, peopleWords, saveFile, tierWords } from './adminWords.ts'
import { Bars } from './Bars.tsx'
import { useLoaded } from './useLoaded.tsx'

const dayLabel = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const labelOf = (day: string) => dayLabel.format(new Date(`${day}T00:00:00Z`))

/** In place of messages of fewer than ten people. */
const FEW = 'not shown'

/** Sums over all accounts. Nothing here is of a single person. */
export function AnalyticsTab() {
  const env = useEnv()
  const { value, failure, reload } = useLoaded('analytics', () =>
    Promise.all([env.api(adminApi.analytics, {}), env.api(adminApi.system, {})]),
  )
  if (!value) return <NotRead words="The analytics could not be loaded." failure={failure ?? null} onRetry={reload} />
  const [{ days, plans, storageBytes }, { answers, errors }] = value
  const rate = answers === 0 ? 0 : (errors / answers) * 100

  function save() {
    const rows = days.map(({ day, signUps, active, messages }) => [
      day,
      peopleWords(signUps),
      peopleWords(active),
      messages ?? FEW,
    ])
    saveFile('analytics.csv', csvOf([['day', 'sign-ups', 'active accounts', 'messages'], ...rows]), 'text/csv')
  }

  return (
    <>
      <Counters
        counters={[
          {
            name: 'Storage',
            value: storageBytes === null ? '…' : bytesWords(storageBytes),
            note: 'uploaded files, counted hourly',
          },
          { name: 'Error rate', value: `${rate.toFixed(2)}%`, note: `of ${countWords(answers)} answers since the start` },
        ]}
      />
      <Counters
        counters={plans.map(({ tier, people }) => ({ name: tierWords(tier), value: countWords(people), note: 'accounts' }))}
      />
      <div className="bar">
        <p className="t2">
          Sums of UTC days over all accounts. Fewer than ten people of a day show as &lt;10, and what they wrote is not shown.
        </p>
        <button type="button" className="btn compact outline" disabled={days.length === 0} onClick={save}>
          Download CSV
        </button>
      </div>
      {days.length === 0 && <p className="none">The first sums come within the hour.</p>}
      {days.length > 0 && (
        <>
          <Bars
            title="Sign-ups a day"
            bars={days.map(({ day, signUps }) => ({ label: labelOf(day), value: signUps, words: peopleWords(signUps) }))}
          />
          <Bars
            title="Active accounts a day"
            bars={days.map(({ day, active }) => ({ label: labelOf(day), value: active, words: peopleWords(active) }))}
          />
          <Bars
            title="Messages a day"
            bars={days.map(({ day, messages }) => ({
              label: labelOf(day),
              value: messages,
              words: messages === null ? FEW : countWords(messages),
            }))}
          />
        </>
      )}
    </>
  )
}
