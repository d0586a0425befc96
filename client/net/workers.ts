import { SERVICE_WORKER_ADDRESS } from '../../contract/site/addresses.ts'
import workerUrl from '../worker/worker.ts?worker&url'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

let worker: Worker | undefined

/** Trusted Types pass only this file's addresses. */
export function createWorker(): Worker {
  worker ??= endsWithPage(new Worker(trusted(workerUrl), { type: 'module', name: 'conclave' }))
  return worker
}

/** WebKit freezes it with its Web Locks. */
function endsWithPage(started: Worker): Worker {
  const isKept = (event: Event) => 'persisted' in event && event.persisted === true
  addEventListener('pagehide', (event) => isKept(event) && started.terminate())
  addEventListener('pageshow', (event) => isKept(event) && location.reload())
  return started
}

/** undefined: plain HTTP, or a private window. Push subscriptions hang on it. */
export async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  const { serviceWorker } = navigator
  if (!serviceWorker) return undefined
  await serviceWorker.register(trusted(SERVICE_WORKER_ADDRESS), { updateViaCache: 'none' })
  return serviceWorker.ready
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

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
