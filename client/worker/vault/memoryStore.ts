import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { CryptoFailure } from '../primitives/failure.ts'

const ONE_TAB = 'conclave/memory-vault'
const RELEASED_MS = 3000

/** Gives this worker databases that end with it. Throws 'other_tab'. */
export async function keepInMemory(): Promise<void> {
  await takeTab()
  for (const [name, value] of Object.entries({ indexedDB: new IDBFactory(), IDBKeyRange }))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}

const OTHER_TAB =
  'Conclave is open in another tab of this window, and its keys are there alone: this window has no store. Go on there, or close that tab and load this one again.'

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
