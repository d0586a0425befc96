import { vi } from 'vitest'

interface Stretch {
  password: Uint8Array
  salt: Uint8Array
  /** In KiB. */
  memorySize: number
  iterations: number
  parallelism: number
  hashLength: number
}

/**
 * Every test stretches passwords by the machine's own Argon2id: the same bytes as from the browser's WebAssembly in a sixth of the
 * time. `crypto/password.test.ts` takes the browser's and compares the two.
 */
vi.mock('hash-wasm', async () => {
  const { hashRaw } = await import('@node-rs/argon2')
  return {
    argon2id: async ({ password, salt, memorySize, iterations, parallelism, hashLength }: Stretch): Promise<Uint8Array> =>
      new Uint8Array(
        await hashRaw(password, {
          algorithm: 2, // Argon2id
          salt,
          memoryCost: memorySize,
          timeCost: iterations,
          parallelism,
          outputLen: hashLength,
        }),
      ),
  }
})
