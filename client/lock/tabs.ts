const CHANNEL = 'conclave/lock'

/** `lock`: every tab of this browser locks. `changed`: the lock was switched, or its time is another. */
export type LockNews = 'lock' | 'changed'

/** Tells the other tabs of this browser. */
export function tellTabs(news: LockNews): void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.postMessage(news)
  tabs.close()
}

/** Hears what another tab tells. Returns how to stop. */
export function hearTabs(onNews: (news: LockNews) => void): () => void {
  const tabs = new BroadcastChannel(CHANNEL)
  tabs.onmessage = ({ data }: MessageEvent<LockNews>) => onNews(data)
  return () => tabs.close()
}
