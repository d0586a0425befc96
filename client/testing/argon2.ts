import { vi } from 'vitest'

/**
 * Every test stretches passwords by the machine's own Argon2id: the same bytes as from the browser's WebAssembly in a sixth of the
 * time. `client/worker/keys/password.test.ts` takes the browser's and compares the two.
 */
vi.mock('hash-wasm', async (importOriginal) => ({
  ...(await importOriginal<typeof import('hash-wasm')>()),
  argon2id: (await import('./stretch.ts')).stretchOnce,
}))
