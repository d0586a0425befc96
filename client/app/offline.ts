import { OFFLINE_WORKER, trusted } from './worker.ts'

/** Has this browser say that it cannot reach the server where it would show a page of its own, or no longer. */
export async function keepOfflinePage(isKept: boolean): Promise<void> {
  // Browsers have no service workers on plain HTTP, and some in private windows.
  const { serviceWorker } = navigator
  if (!serviceWorker) return
  if (isKept) await serviceWorker.register(trusted(OFFLINE_WORKER))
  else for (const registration of await serviceWorker.getRegistrations()) await registration.unregister()
}
