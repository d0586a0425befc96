import workerUrl from '../crypto/worker.ts?worker&url'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** Answers the load of a page while the server cannot be reached. */
export const OFFLINE_WORKER = '/offline-worker.js'

let worker: Worker | undefined

/** The encryption worker, started at the first call. Trusted Types let only the addresses of this file through. */
export function createWorker(): Worker {
  worker ??= new Worker(trusted(workerUrl), { type: 'module', name: 'conclave' })
  return worker
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

/** Makes one of the addresses of this file one that a worker may be started from. */
export function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('conclave', {
    createScriptURL(asked) {
      if (asked !== workerUrl && asked !== OFFLINE_WORKER) throw new TypeError('Only the workers of this page may be started')
      return asked
    },
  })
  return policy?.createScriptURL(url) ?? url
}
