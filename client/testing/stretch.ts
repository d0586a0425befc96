import { createHash } from 'node:crypto'
import { hashRaw } from '@node-rs/argon2'
import type { Stretch } from '../worker/keys/nobleArgon.ts'

/**
 * What this worker has stretched: people of many tests have the same password, and the same salt where the name makes it. Each file loads
 * this module anew (`forget.ts`), so the map stands in the process.
 */
const stretched: Map<string, Promise<Uint8Array>> = (Reflect.get(globalThis, Symbol.for('stretched')) as never) ?? new Map()
Reflect.set(globalThis, Symbol.for('stretched'), stretched)

/** Stretches a password by the machine's own Argon2id, each input once. Returns a copy, because the caller wipes what it gets. */
export async function stretchOnce({ password, salt, memorySize, iterations, parallelism, hashLength }: Stretch) {
  const key = [password, salt, memorySize, iterations, parallelism, hashLength].join(' ')
  const bytes =
    stretched.get(key) ??
    hashRaw(password, {
      algorithm: 2, // Argon2id
      salt,
      memoryCost: memorySize,
      timeCost: iterations,
      parallelism,
      outputLen: hashLength,
    })
  stretched.set(key, bytes)
  return new Uint8Array(await bytes)
}

/** Stretches nothing: for tests that type many chat passwords, and are about what follows from it. */
export const stretchCheaply = async ({ password, salt }: Pick<Stretch, 'password' | 'salt'>) =>
  new Uint8Array(createHash('sha256').update(password).update(salt).digest())
