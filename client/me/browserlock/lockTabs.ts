const CHANNEL = 'conclave/lock'

/** `lock` locks all tabs of this browser. `changed` means that the lock was switched on or off or has another idle time. */
export type LockNews = 'lock' | 'changed'

/** Sends news to the other tabs of this browser. */
export function tellTabs(news: LockNews): void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.postMessage(news)
  tabs.close()
}

/** Receives news from other tabs. Returns how to stop. */
export function hearTabs(onNews: (news: LockNews) => void): () => void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.onmessage = ({ data }: MessageEvent<LockNews>) => onNews(data)
  return () => tabs.close()
}
