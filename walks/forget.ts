import { expect, vi } from 'vitest'

// The stores of a page, and what its tasks still do, last as long as its modules: each walk loads them anew. The other served files share
// all modules.
if (expect.getState().testPath?.startsWith(import.meta.dirname)) vi.resetModules()
