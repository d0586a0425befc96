import { useStore } from 'zustand'
import { searchStore } from './store.ts'

/** Whether older messages are being fetched, and why the last attempt ended early. */
export function useOlder(): { isLoading: boolean; failure: string | null } {
  const isLoading = useStore(searchStore, ({ older }) => older !== null)
  const failure = useStore(searchStore, ({ olderFailure }) => olderFailure)
  return { isLoading, failure }
}
