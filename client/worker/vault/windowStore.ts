import { loadPart } from '../primitives/loadPart.ts'

/** Puts the vaults into memory if the window has no store [Note: V5]. Throws 'other_tab' or 'not_loaded'. */
export async function readyStore(): Promise<void> {
  try {
    await indexedDB.databases()
  } catch (error) {
    await (await loadPart(() => import('./memoryStore.ts'))).keepInMemory(error)
  }
}
