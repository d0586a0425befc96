import { vi } from 'vitest'

/**
 * Every test stretches passwords by the machine's own Argon2id: the same bytes as from the browser's WebAssembly in a sixth of the
 * time. `client/worker/keys/password.test.ts` takes the browser's and compares the two.
 */
vi.mock('hash-wasm', async () => ({ argon2id: (await import('./stretch.ts')).stretchOnce }))
