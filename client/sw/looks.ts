import { inTurn } from '../net/inTurn.ts'
import { clearOut, type Look, type Shelf, takeOffered } from './keep.ts'

export interface Looks {
  /** Two callers share one look. */
  newer(): Promise<Look>
  /** The look under way, or the last one. */
  latest(): Promise<Look>
  /** A person's decision: a look beside it would write what it has read before. */
  decided<T>(act: () => Promise<T>): Promise<T>
}

/** Looks and decisions run one after another. */
export function makeLooks(shelf: Shelf): Looks {
  let looking: Promise<Look> | undefined
  let last: Look | undefined

  async function look(): Promise<Look> {
    last = await takeOffered(shelf)
    await clearOut(shelf, last.outcome === 'taken' || last.outcome === 'current')
    return last
  }

  function newer(): Promise<Look> {
    looking ??= inTurn(shelf, 'builds', look).finally(() => {
      looking = undefined
    })
    return looking
  }

  return {
    newer,
    latest: () => looking ?? (last ? Promise.resolve(last) : newer()),
    decided: (act) => inTurn(shelf, 'builds', act),
  }
}
