import { loadPart } from '../primitives/loadPart.ts'

/** Puts the vaults of a window without a store into this worker's memory [Note: V5]. Throws 'other_tab' or 'not_loaded'. */
export async function readyStore(): Promise<void> {
  try {
    await indexedDB.databases()
  } catch (error) {
    await (await loadPart(() => import('./memoryStore.ts'))).keepInMemory(error)
  }
}
