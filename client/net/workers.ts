import { SERVICE_WORKER_ADDRESS } from '../../contract/site/build.ts'
import workerUrl from '../worker/worker.ts?worker&url'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

let worker: Worker | undefined

/** The encryption worker, started at the first call. Trusted Types let only the addresses of this file through. */
export function createWorker(): Worker {
  worker ??= new Worker(trusted(workerUrl), { type: 'module', name: 'conclave' })
  return worker
}

/**
 * Has this browser start the app from its own copy of it, and returns the registration once its worker is active. undefined where
 * browsers have no service workers: on plain HTTP, and some in private windows. It is never unregistered: a subscription to news of
 * this browser hangs on it.
 */
export async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  const { serviceWorker } = navigator
  if (!serviceWorker) return undefined
  await serviceWorker.register(trusted(SERVICE_WORKER_ADDRESS), { updateViaCache: 'none' })
  return serviceWorker.ready
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

/** Makes one of the addresses of this file one that a worker may be started from. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('conclave', {
    createScriptURL(asked) {
      if (asked !== workerUrl && asked !== SERVICE_WORKER_ADDRESS)
        throw new TypeError('Only the workers of this page may be started')
      return asked
    },
  })
  return policy?.createScriptURL(url) ?? url
}
