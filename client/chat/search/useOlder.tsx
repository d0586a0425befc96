import { useStore } from 'zustand'
import { searchStore } from './store.ts'

/** `failure`: why the last attempt ended early. */
export function useOlder(): { isLoading: boolean; failure: string | null } {
  const isLoading = useStore(searchStore, ({ older }) => older !== null)
  const failure = useStore(searchStore, ({ olderFailure }) => olderFailure)
  return { isLoading, failure }
}
