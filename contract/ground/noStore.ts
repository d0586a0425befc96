/** How a window refuses its pages databases [Note: V5]. */
const REFUSALS = ['InvalidStateError', 'SecurityError']

/** True if there are none, by what `indexedDB.databases` threw. An older Firefox has databases and no list of them. */
export const hasNoStore = (error: unknown): boolean =>
  !globalThis.indexedDB || (error instanceof Error && REFUSALS.includes(error.name))
