const REFUSALS = ['InvalidStateError', 'SecurityError']

/** `error`: of `indexedDB.databases`. */
export const hasNoStore = (error: unknown): boolean =>
  !globalThis.indexedDB || (error instanceof Error && REFUSALS.includes(error.name))
