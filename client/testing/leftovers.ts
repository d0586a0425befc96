import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { afterAll, vi } from 'vitest'

// The next file runs in the same worker and finds the globals as this one did.
globalThis.indexedDB = new IDBFactory()
const found = Object.getOwnPropertyDescriptors(globalThis)

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  // By names alone: what stays loaded keeps its own state under symbols, such as the dispatcher of fetch.
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const before = found[name]
    if (before) Object.defineProperty(globalThis, name, before)
    else Reflect.deleteProperty(globalThis, name)
  }
})
