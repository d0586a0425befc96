import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { afterAll, vi } from 'vitest'

// The next file runs in the same worker: it loads our modules anew, and finds the globals as this one did. What npm brings stays loaded.
vi.resetModules()
globalThis.indexedDB = new IDBFactory()
const found = Object.getOwnPropertyDescriptors(globalThis)

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  for (const name of Reflect.ownKeys(globalThis)) {
    const before = Reflect.get(found, name)
    if (before) Object.defineProperty(globalThis, name, before)
    else Reflect.deleteProperty(globalThis, name)
  }
})
