import { loadPart } from '../primitives/loadPart.ts'

/** Without a store the vaults are in memory [Note: V5]. Throws 'other_tab' or 'not_loaded'. */
export async function readyStore(): Promise<void> {
  try {
    await indexedDB.databases()
  } catch (error) {
    await (await loadPart(() => import('./memoryStore.ts'))).keepInMemory(error)
  }
}
