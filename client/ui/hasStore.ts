import { hasNoStore } from '../../contract/ground/noStore.ts'

/** False in a window that refuses its pages a database: what they hold ends with the page. */
export async function hasStore(): Promise<boolean> {
  try {
    await indexedDB.databases()
    return true
  } catch (error) {
    return !hasNoStore(error)
  }
}
