import { Timer } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { LIFETIMES } from '../../../contract/chat/lifetimes.ts'
import { TIMERS } from '../../../contract/chat/timers.ts'
import type { Room } from '../../rooms/list/room.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { setTimer, timerLabel, UNITS, unitOf } from './setTimer.ts'
import './timers.css'

const NOT_SET = 'The timer was not set'

interface Props {
  room: Room
  onClose: () => void
}

/** Asks after which time new messages of a chat disappear. */
export function TimerDialog({ room, onClose }: Props) {
  const env = useEnv()
  const [chosen, setChosen] = useState<number | 'own'>(0)
  const isTouched = useRef(false)
  const [unit, setUnit] = useState(24 * 60 * 60)
  const [count, setCount] = useState('2')
  const [isPending, setPending] = useState(false)
  const chatRoomId = room.id
  const known = useCallback(async () => (await env.crypto.page({ chatRoomId, limit: 1 })).timer ?? 0, [env, chatRoomId])
  useEffect(() => {
    known().then(
      (now) => {
        if (isTouched.current) return
        setChosen(TIMERS.includes(now) ? now : 'own')
        if (TIMERS.includes(now)) return
        setUnit(unitOf(now))
        setCount(String(now / unitOf(now)))
      },
      () => undefined,
    )
  }, [known])
  const own = /^\d{1,6}$/.test(count.trim()) ? Number(count) * unit : 0
  const seconds = chosen === 'own' ? own : chosen
  const isWrong = chosen === 'own' && (own < LIFETIMES.min || own > LIFETIMES.max)
  const choose = (next: number | 'own') => {
    isTouched.current = true
    setChosen(next)
  }

  async function set() {
    if (isWrong) return
    setPending(true)
    try {
      const refused = seconds === (await known()) ? undefined : await setTimer(env, room, seconds)
      if (refused) showToast({ tone: 'bad', title: NOT_SET, text: refused })
      onClose()
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: NOT_SET, text: failureWords(error) })
    }
  }

  return (
    <Dialog
      title="Disappearing messages"
      text="New messages disappear this long after they are sent, for their author, and after they are read, for the reader. It holds for both of you; either may change it."
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void set()
        }}
      >
        <fieldset className="terms">
          <legend className="sr">After which time</legend>
          {TIMERS.map((each) => (
            <label key={each}>
              <input type="radio" name="timer" checked={each === chosen} onChange={() => choose(each)} />
              {timerLabel(each)}
            </label>
          ))}
          <label>
            <input type="radio" name="timer" checked={chosen === 'own'} onChange={() => choose('own')} />
            Other
          </label>
        </fieldset>
        {chosen === 'own' && (
          <div className="own-timer">
            <div className={isWrong ? 'input bad' : 'input'}>
              <input
                dir="auto"
                inputMode="numeric"
                aria-label="How many"
                aria-invalid={isWrong}
                aria-describedby="own-timer-said"
                value={count}
                maxLength={6}
                onChange={({ target }) => setCount(target.value)}
              />
            </div>
            <select className="input" aria-label="Of what" value={unit} onChange={({ target }) => setUnit(Number(target.value))}>
              {UNITS.map(({ words, seconds: each }) => (
                <option key={words} value={each}>
                  {words}
                </option>
              ))}
            </select>
            <p id="own-timer-said" className="small t2" role={isWrong ? 'alert' : undefined}>
              From one minute to one year.
            </p>
          </div>
        )}
        <p className="timer-note small t2">
          <Timer className="i i-16" aria-hidden />
          <span>
            What somebody has copied, photographed, saved or exported stays, and what a browser with an older version shows. One
            that is off ends it when it runs again. What stands here already stays.
          </span>
        </p>
        <FormFooter
          action={chosen === 0 ? 'Turn off' : isWrong ? 'Set' : `Set to ${timerLabel(seconds)}`}
          pendingAction="Setting..."
          isPending={isPending}
          isOff={isWrong}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
