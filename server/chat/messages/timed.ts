import type { Env } from '../../env.ts'
import { emptyDue } from './store-timed.ts'

const EMPTIED_AT_ONCE = 500

/** One piece of a job: returns true if more may be left. */
export const emptyTimed = async ({ db, clock }: Pick<Env, 'db' | 'clock'>): Promise<boolean> =>
  (await emptyDue(db, clock(), EMPTIED_AT_ONCE)) === EMPTIED_AT_ONCE
