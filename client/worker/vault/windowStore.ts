import { hasNoStore } from '../../../contract/ground/noStore.ts'
import { loadPart } from '../primitives/loadPart.ts'

/** Without a store the vaults are in memory [Note: V5]. Throws 'other_tab' or 'not_loaded'. */
export async function readyStore(): Promise<void> {
  try {
    await indexedDB.databases()
  } catch (error) {
    if (hasNoStore(error)) await (await loadPart(() => import('./memoryStore.ts'))).keepInMemory()
  }
}
