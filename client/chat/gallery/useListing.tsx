import { useEffect, useMemo, useState } from 'react'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { useLatest } from '../../ui/useLatest.tsx'
import { sharedPage } from '../files/sharedPage.ts'
import { useOlder } from '../search/useOlder.tsx'
import { readNews, type Tab, tabsOf, UNREAD, withNews, withOlder } from './shared.ts'

interface Asked {
  tab: Tab
  /** The words of the filter. */
  typed: string
  /** Lines that the tab has room for. */
  wanted: number
}

/** Reads a chat from its newest message on, page by page, until the tab has as many lines as it wants; and what comes meanwhile. */
export function useListing(room: RoomRow, { tab, typed, wanted }: Asked) {
  const env = useEnv()
  const [listing, setListing] = useState(UNREAD)
  const [failure, setFailure] = useState<string | null>(null)
  const { isLoading } = useOlder()
  const tabs = useMemo(() => tabsOf(listing, typed), [listing, typed])
  const { oldest, newest, isWhole, hasOlder } = listing
  const isReading = !isWhole && failure === null && tabs[tab].length < wanted

  // What was cleared meanwhile is not shown on.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each clearing begins anew
  useEffect(() => setListing(UNREAD), [room.id, room.clearedSeq])
  // Older messages that were fetched from the server lie below what was read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of fetching is the occasion
  useEffect(() => setListing((now) => ({ ...now, isWhole: false })), [isLoading])
  useEffect(() => {
    if (!isReading) return
    let isShown = true
    sharedPage(env, room.id, { before: oldest }).then(
      (page) => isShown && setListing((now) => withOlder(now, page)),
      (error: unknown) => isShown && setFailure(failureWords(error)),
    )
    return () => {
      isShown = false
    }
  }, [env, room.id, oldest, isReading])

  const latest = useLatest(newest)
  const isBegun = newest !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row shows another message when the vault has one
  useEffect(() => {
    if (!isBegun || latest.current === undefined) return
    let isShown = true
    readNews(env, room.id, latest.current, (page) => isShown && setListing((now) => withNews(now, page))).catch(
      (error: unknown) => isShown && setFailure(failureWords(error)),
    )
    return () => {
      isShown = false
    }
  }, [env, room.id, room.preview, isBegun])

  return { tabs, isBegun, isReading, isWhole, hasOlder, failure, retry: () => setFailure(null) }
}
