import { argon2id } from '@noble/hashes/argon2.js'
import type { Stretch, Stretched } from './slowArgon.ts'

/** What is told of the way there. */
const STEP = 0.0025

/** Argon2id in JavaScript alone: the bytes of hash-wasm. Tells each step that is done, then the result. */
export function stretchHere(work: Stretch, tell: (told: Stretched) => void): void {
  const begunMs = performance.now()
  let told = 0
  const bytes = argon2id(work.password, work.salt, {
    m: work.memorySize,
    t: work.iterations,
    p: work.parallelism,
    dkLen: work.hashLength,
    onProgress(share) {
      if (share < told + STEP) return
      told = share
      tell({ share })
    },
  })
  tell({ bytes, ms: performance.now() - begunMs })
}
