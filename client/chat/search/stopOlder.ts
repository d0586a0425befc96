import { searchStore } from './store.ts'

let running = 0

/** The answer says whether this one was ended. */
export function beginOlder(): () => boolean {
  running += 1
  const mine = running
  return () => mine !== running
}

/** Stops fetching. Messages that have arrived stay. */
export function stopOlder(): void {
  running += 1
  searchStore.setState({ older: null })
}
