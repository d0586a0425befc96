import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, LoaderCircle } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Env } from '../env.ts'
import type { Room } from '../rooms/room.ts'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { useLatest } from '../ui/useLatest.tsx'
import { Announcer } from './Announcer.tsx'
import { type Line, timelineLines } from './lines.ts'
import { jumpToNewest, loadNewer, loadOlder } from './messages.ts'
import { sendAndReport } from './outcome.ts'
import { deleteUnsent, retryMessage } from './send.ts'
import type { RoomView } from './store.ts'
import { TimelineLine } from './TimelineLine.tsx'
import './timeline.css'
import { useFound } from './useFound.tsx'
import { useNewCount } from './useNewCount.tsx'
import { useStayAtEnd } from './useStayAtEnd.tsx'

/** Distance from an edge at which the next page is loaded. */
const NEAR_PX = 600
/** Distance from the newest message that still counts as the end. */
const END_PX = 80

interface Props {
  room: Room
  view: RoomView
  /** The other person's name. */
  name: string
  onUpgrade: () => void
  onDay: (from: Date) => void
}

export function Timeline({ room, view, name, onUpgrade, onDay }: Props) {
  const env = useEnv()
  const scroller = useRef<HTMLDivElement>(null)
  const isPaging = useRef(false)
  const hadNewer = useRef(view.hasNewer)
  const [isAtEnd, setAtEnd] = useState(view.anchor === null)
  // The first line is left out if there are older messages: it is the heading of a day that may begin further up. It would move with
  // the next page, and the virtual list uses it to keep the reader's place.
  const lines = useMemo(() => timelineLines(view.messages).slice(view.hasOlder ? 1 : 0), [view.messages, view.hasOlder])
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (lines[index]?.kind === 'message' ? 56 : 48),
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: 10,
    paddingStart: 8,
    paddingEnd: 20,
    anchorTo: 'end',
    // A page of newer messages must not scroll the reader to its end.
    followOnAppend: !view.hasNewer && !hadNewer.current,
    scrollEndThreshold: END_PX,
  })

  const newest = lines.at(-1)
  const isOwnNew = newest?.kind === 'message' && newest.message.isMine && newest.message.seq === null
  const isJumpedTo = useRef(view.anchor !== null)
  useLayoutEffect(() => {
    if (!isJumpedTo.current) virtual.scrollToEnd()
  }, [virtual])
  const isFollowing = isOwnNew || (isAtEnd && !view.hasNewer && !hadNewer.current)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new line moves the view
  useEffect(() => {
    if (isFollowing && newest?.key) virtual.scrollToEnd()
  }, [virtual, newest?.key])
  const newCount = useNewCount(view, isAtEnd)
  useEffect(() => {
    hadNewer.current = view.hasNewer
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each jump, not again when lines come
  useEffect(() => {
    const index = lines.findIndex((line) => line.kind === 'message' && line.message.id === view.anchor?.id)
    if (index < 0) return
    const top = lines[index - 1]?.kind === 'day' ? index - 1 : index
    if (view.anchor?.place === 'top') return virtual.scrollToIndex(top, { align: 'start' })
    virtual.scrollToIndex(index, { align: 'center' })
    scroller.current?.focus({ preventScroll: true })
  }, [virtual, view.anchor])
  const foundId = useFound(view.anchor)
  // Stable functions keep unchanged bubbles from rendering again.
  const latestRoom = useLatest(room)
  const retry = useCallback(
    (id: string) => void sendAndReport(() => retryMessage(env, latestRoom.current, id), onUpgrade),
    [env, latestRoom, onUpgrade],
  )
  const remove = useCallback((id: string) => void deleteUnsent(env, latestRoom.current, id), [env, latestRoom])

  async function attempt(load: (env: Env, room: Room) => Promise<void>) {
    try {
      await load(env, room)
    } catch (error) {
      showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) })
    }
  }

  async function page(load: typeof loadOlder | typeof loadNewer) {
    if (isPaging.current) return
    isPaging.current = true
    const before = shown.current
    await attempt(load)
    isPaging.current = false
    // At the very edge no scroll event follows that would load the next page.
    requestAnimationFrame(() => shown.current !== before && latestLook.current())
  }

  function look() {
    const element = scroller.current
    if (!element) return
    const fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight
    setAtEnd(fromEnd <= END_PX)
    if (view.hasOlder && element.scrollTop < NEAR_PX) void page(loadOlder)
    else if (view.hasNewer && fromEnd < NEAR_PX) void page(loadNewer)
  }

  // If a page is too short to scroll, no scroll event loads the next one.
  const latestLook = useLatest(look)
  const shown = useLatest(view.messages)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page is a new occasion
  useEffect(() => {
    // In the next frame the page is laid out anyway; in the tap on Send it would be once more.
    const frame = requestAnimationFrame(() => latestLook.current())
    return () => cancelAnimationFrame(frame)
  }, [view.messages])
  useStayAtEnd(scroller, isAtEnd, () => virtual.scrollToEnd())

  async function jump() {
    if (view.hasNewer) await attempt(jumpToNewest)
    requestAnimationFrame(() => virtual.scrollToEnd())
    scroller.current?.focus({ preventScroll: true })
  }

  return (
    <div className="talk-frame">
      {view.isLoadingOlder && (
        <div className="older" role="status">
          <LoaderCircle className="i i-16 spin" aria-hidden />
          <span className="sr">Loading older messages</span>
        </div>
      )}
      <div
        className="talk"
        ref={scroller}
        onScroll={look}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={`Messages with ${name}`}
      >
        <div className="talk-in" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => {
            const line = lines[index]
            return (
              <div
                key={key}
                className={`line ${index === lines.length - 1 ? 'newest' : ''} ${isMessage(line, foundId) ? 'found' : ''}`}
                data-index={index}
                ref={virtual.measureElement}
                style={{ transform: `translateY(${start}px)` }}
              >
                {line && <TimelineLine line={line} name={name} onRetry={retry} onDelete={remove} onDay={onDay} />}
              </div>
            )
          })}
        </div>
      </div>
      {(!isAtEnd || view.hasNewer) && (
        <button type="button" className="jump" onClick={jump} aria-label={jumpWords(newCount)}>
          {newCount > 0 && <span className="count">{newCount > 99 ? '99+' : newCount}</span>}
          <ArrowDown className="i" aria-hidden />
        </button>
      )}
      <Announcer messages={view.messages} name={name} isPaused={view.hasNewer} />
    </div>
  )
}

const jumpWords = (count: number) => (count > 0 ? `Jump to the newest message, ${count} new` : 'Jump to the newest message')

const isMessage = (line: Line | undefined, id: string | undefined) => line?.kind === 'message' && line.message.id === id
