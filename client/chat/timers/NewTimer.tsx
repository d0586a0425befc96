import { Timer } from 'lucide-react'
import { useEffect, useState } from 'react'
import { TIMERS } from '../../../contract/chat/timers.ts'
import { ApiError } from '../../net/api.ts'
import { saveBook } from '../../rooms/trust/book.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { NotRead } from '../../ui/NotRead.tsx'
import { showToast } from '../../ui/toast.ts'
import { timerLabel } from './setTimer.ts'

/** The timer that new chats begin with, in all browsers of the account. */
export function NewTimer() {
  const env = useEnv()
  const [seconds, setSeconds] = useState<number>()
  const [failure, setFailure] = useState<string | null>(null)
  const [attempt, setAttempt] = useState(0)
  const [isBusy, setBusy] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt reads anew
  useEffect(() => {
    let isShown = true
    env.crypto.readNewTimer().then(
      (now) => isShown && setSeconds(now),
      (error: unknown) => isShown && setFailure(failureWords(error)),
    )
    return () => {
      isShown = false
    }
  }, [env, attempt])

  async function choose(next: number) {
    setBusy(true)
    try {
      await env.crypto.setNewTimer(next)
      setSeconds(next)
      await saveBook(env).catch((error: unknown) => {
        // The next sync saves the book.
        if (!(error instanceof ApiError)) throw error
      })
    } catch (error) {
      showToast({ tone: 'bad', title: 'Nothing was changed', text: failureWords(error) })
    } finally {
      setBusy(false)
    }
  }

  return (
    <ul className="lines">
      <li>
        <Timer className="i" aria-hidden />
        {seconds === undefined ? (
          <NotRead
            words="The timer of new chats could not be read."
            failure={failure}
            onRetry={() => {
              setFailure(null)
              setAttempt(attempt + 1)
            }}
          />
        ) : (
          <>
            <div>
              <b id="new-timer">Disappearing messages</b>
              <p>In chats that you begin to write in from now on, for both sides. Either may change it there.</p>
            </div>
            <div className="acts">
              <select
                className="input"
                aria-labelledby="new-timer"
                value={seconds}
                disabled={isBusy}
                onChange={({ target }) => void choose(Number(target.value))}
              >
                {[...new Set([...TIMERS, seconds])].map((each) => (
                  <option key={each} value={each}>
                    {timerLabel(each)}
                  </option>
                ))}
              </select>
            </div>
          </>
        )}
      </li>
    </ul>
  )
}
