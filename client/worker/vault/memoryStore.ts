import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { CryptoFailure } from '../primitives/failure.ts'

const ONE_TAB = 'conclave/memory-vault'
/** How a browser says that this window may keep nothing. */
const REFUSALS = ['InvalidStateError', 'SecurityError']
/** A page that is loaded anew waits for the one before it. */
const RELEASED_MS = 3000

/** An older Firefox lists no databases, but has them. Any other error is one of the disk, whose vaults stay. */
const hasNone = (error: unknown): boolean =>
  !globalThis.indexedDB || (error instanceof DOMException && REFUSALS.includes(error.name))

/**
 * Gives this worker databases in its memory: the code above, and its rules, are the same. They end with the worker. Throws 'other_tab' if
 * another tab has some: its keys are there alone, and a second sign-in would end its session.
 */
export async function keepInMemory(refusal: unknown): Promise<void> {
  if (!hasNone(refusal)) return
  await takeTab()
  for (const [name, value] of Object.entries({ indexedDB: new IDBFactory(), IDBKeyRange }))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}

const OTHER_TAB =
  'Conclave is open in another tab of this window, and its keys are there alone: this window has no store. Go on there, or close that tab and load this one again.'

/** Resolves once this worker is the only one, which it stays until it ends. */
const takeTab = (): Promise<void> =>
  new Promise((resolve, reject) => {
    if (!navigator.locks) return resolve()
    const hold = () => {
      resolve()
      return new Promise(() => undefined)
    }
    navigator.locks
      .request(ONE_TAB, { signal: AbortSignal.timeout(RELEASED_MS) }, hold)
      .catch((cause: unknown) => reject(new CryptoFailure('other_tab', OTHER_TAB, { cause })))
  })
