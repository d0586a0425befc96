import { PASSWORD_KDF } from '../../../contract/account/password.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { Stretch, Stretched } from './nobleArgon.ts'
import stretcherUrl from './stretcher.ts?worker&url'

interface Running {
  share: number
  stop: () => void
}

const running = new Set<Running>()

const share = () => (running.size === 0 ? null : Math.min(...[...running].map((one) => one.share)))

/** Each answers a number or null. */
export const slowVerbs = {
  /** The share that is done of what is stretched now, 0 to 1; null where nothing is. */
  share: async () => share(),
  /** Ends what is stretched now, which rejects with 'stopped'. */
  async stop() {
    for (const { stop } of running) stop()
    return null
  },
  /** An estimate by a piece of the work: how long a password takes here. */
  async seconds() {
    const { lanes, bytes } = PASSWORD_KDF
    const made = { password: new Uint8Array(8), salt: new Uint8Array(16) }
    const work = { ...TRIED, ...made, parallelism: lanes, hashLength: bytes, outputType: 'binary' as const }
    const { ms } = await stretch(work, () => undefined)
    return (ms * PIECES) / 1000
  },
} satisfies Record<string, () => Promise<number | null>>

export type SlowVerb = keyof typeof slowVerbs

/** As hash-wasm's function, in a minute without a JIT. Throws 'stopped', or 'not_loaded'. */
export async function argon2id(work: Stretch): Promise<Uint8Array> {
  return (await stretch(work, (one) => running.add(one))).bytes
}

/** A piece of the work, small enough for a second without a JIT. */
const TRIED = { memorySize: 2048, iterations: 1 }
const PIECES = (PASSWORD_KDF.memoryKiB * PASSWORD_KDF.passes) / (TRIED.memorySize * TRIED.iterations)

/** A worker of its own: the vault's answers meanwhile, a stop really ends it, and its 64 MiB go with it. */
async function stretch(work: Stretch, begun: (one: Running) => void): Promise<Extract<Stretched, { bytes: Uint8Array }>> {
  const worker = new Worker(trusted(stretcherUrl), { type: 'module', name: 'conclave-stretching' })
  const one: Running = { share: 0, stop: () => undefined }
  begun(one)
  try {
    return await new Promise<Extract<Stretched, { bytes: Uint8Array }>>((resolve, reject) => {
      one.stop = () => reject(new CryptoFailure('stopped', 'You stopped it. Nothing was changed'))
      worker.onmessage = ({ data }: MessageEvent<Stretched>) => {
        if ('bytes' in data) resolve(data)
        else one.share = data.share
      }
      worker.onerror = () => {
        const text = 'A part of this page could not be loaded. Check the connection and try again, or load the page again'
        reject(new CryptoFailure('not_loaded', text))
      }
      worker.postMessage(work)
    })
  } finally {
    running.delete(one)
    worker.terminate()
  }
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

/** Trusted Types pass only this file's address. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('conclave', {
    createScriptURL(asked) {
      if (asked !== stretcherUrl) throw new TypeError('Only the stretching worker may be started')
      return asked
    },
  })
  return policy?.createScriptURL(url) ?? url
}
