import { argon2id } from '@noble/hashes/argon2.js'

/** hash-wasm's function of this name takes the same [Note: P1]. */
export interface Stretch {
  password: Uint8Array
  salt: Uint8Array
  /** In KiB. */
  memorySize: number
  iterations: number
  parallelism: number
  hashLength: number
  outputType: 'binary'
}

/** The share that is done, 0 to 1, or the result. */
export type Stretched = { share: number } | { bytes: Uint8Array; ms: number }

const STEP = 0.0025

/** Tells each step that is done, then the bytes that hash-wasm makes too. */
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
