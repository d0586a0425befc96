import { ADMIN_LIMITS } from '../../../contract/admin/adminlimits.ts'
import type { Failure } from './failures.ts'

export type EventOutcome = 'taken' | 'refused'

interface Events {
  count: number
  lastAt: Date | null
}

/** The memory of this process. */
export interface CardNotes {
  noteEvent(outcome: EventOutcome): void
  noteFailure(failure: Failure): void
  events(): Readonly<Record<EventOutcome, Events>>
  /** The newest first. */
  failures(): readonly (Failure & { at: Date })[]
}

export function makeCardNotes(clock: () => Date, tell: (outcome: EventOutcome) => void = () => undefined): CardNotes {
  const events: Record<EventOutcome, Events> = { taken: { count: 0, lastAt: null }, refused: { count: 0, lastAt: null } }
  let failures: (Failure & { at: Date })[] = []
  return {
    noteEvent(outcome) {
      events[outcome] = { count: events[outcome].count + 1, lastAt: clock() }
      tell(outcome)
    },
    noteFailure(failure) {
      failures = [{ ...failure, at: clock() }, ...failures].slice(0, ADMIN_LIMITS.cardErrors)
    },
    events: () => events,
    failures: () => failures,
  }
}
