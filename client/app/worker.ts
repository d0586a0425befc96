import workerUrl from '../crypto/worker.ts?worker&url'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

let worker: Worker | undefined

/** The encryption worker, started at the first call. Trusted Types let only this one script address through. */
export function createWorker(): Worker {
  worker ??= start()
  return worker
}

function start(): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy('conclave', {
    createScriptURL(url) {
      if (url !== workerUrl) throw new TypeError('Only the encryption worker may be started')
      return url
    },
  })
  return new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module', name: 'conclave' })
}
