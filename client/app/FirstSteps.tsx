import { ChevronRight, CircleCheck, CircleDashed } from 'lucide-react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import { useWays } from '../me/account/useWays.tsx'
import { hasUncheckedKit } from '../me/kit/uncheckedKit.ts'
import { roomsStore } from '../rooms/list/roomList.ts'
import { openDetails } from '../rooms/trust/details.ts'
import { peopleStore } from '../rooms/trust/people.ts'
import { firstSteps } from './steps.ts'

/** What is left of the first day: each line ticks itself. Nothing is shown once all are done, or while one of them is unknown. */
export function FirstSteps() {
  const { ways } = useWays()
  const status = useStore(roomsStore, (state) => state.status)
  const rooms = useStore(roomsStore, (state) => state.rooms)
  const people = useStore(peopleStore, (state) => state.people)
  if (!ways || status !== 'ready') return null
  const steps = firstSteps({ hasKit: ways.kit !== null, hasUncheckedKit: hasUncheckedKit(), rooms: [...rooms.values()], people })
  if (steps.every(({ isDone }) => isDone)) return null
  return (
    <ul className="todo" aria-label="First steps">
      {steps.map(({ id, title, text, isDone, href, detailsOf }) => {
        const words = (
          <>
            {isDone ? <CircleCheck className="i" aria-hidden /> : <CircleDashed className="i" aria-hidden />}
            <span>
              <b>{title}</b>
              <span>{text}</span>
              <span className="sr">{isDone ? ' Done' : ''}</span>
            </span>
          </>
        )
        return (
          <li key={id} className={isDone ? 'did' : ''}>
            {isDone || !href ? (
              <div>{words}</div>
            ) : (
              <Link href={href} onClick={() => detailsOf && openDetails(detailsOf)}>
                {words}
                <ChevronRight className="i i-16" aria-hidden />
              </Link>
            )}
          </li>
        )
      })}
    </ul>
  )
}
