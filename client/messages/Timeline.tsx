import { useVirtualizer } from '@tanstack/react-virtual'
import { LoaderCircle } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import type { Env } from '../env.ts'
import type { RoomRow } from '../rooms/list.ts'
import type { Room } from '../rooms/room.ts'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { useLatest } from '../ui/useLatest.tsx'
import { Announcer } from './Announcer.tsx'
import { JumpButton } from './JumpButton.tsx'
import { type Line, timelineLines } from './lines.ts'
import { jumpToNewest, loadNewer, loadOlder } from './messages.ts'
import { sendAndReport } from './outcome.ts'
import { StickyDay } from './StickyDay.tsx'
import { deleteUnsent, retryMessage } from './send.ts'
import { changeView, type RoomView } from './store.ts'
import { TimelineLine } from './TimelineLine.tsx'
import './timeline.css'
import { useFound } from './useFound.tsx'
import { useRowFocus } from './useRowFocus.tsx'
import { useSeen } from './useSeen.tsx'
import { useStayAtEnd } from './useStayAtEnd.tsx'

/** Distance from an edge at which the next page is loaded. */
const NEAR_PX = 600
/** Distance from the newest message that still counts as the end. */
const END_PX = 80
/** A message counts as read when this much of its end is still below the edge: the space under its bubble. */
const SPARE_PX = 16

interface Props {
  room: RoomRow
  view: RoomView
  /** The other person's name. */
  name: string
  /** What stands above the first message. */
  about: ReactNode
  onUpgrade: () => void
  onDay: (from: Date) => void
}

export function Timeline({ room, view, name, about, onUpgrade, onDay }: Props) {
  const env = useEnv()
  const scroller = useRef<HTMLDivElement>(null)
  const isPaging = useRef(false)
  const hadNewer = useRef(view.hasNewer)
  const { messages, fresh, hasOlder, isAtEnd, matches } = view
  const lines = useMemo(() => timelineLines({ messages, fresh, hasOlder }), [messages, fresh, hasOlder])
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (lines[index]?.kind === 'message' ? 56 : 48),
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: 10,
    paddingStart: 8,
    paddingEnd: 20,
    // The line above the unread stands at a quarter of the height, so that what was read before it is seen too.
    scrollPaddingStart: view.anchor?.place === 'unread' ? (scroller.current?.clientHeight ?? innerHeight) / 4 : 0,
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
  useEffect(() => {
    hadNewer.current = view.hasNewer
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each jump, not again when lines come
  useEffect(() => {
    const index = lines.findIndex((line) => line.kind === 'message' && line.message.id === view.anchor?.id)
    if (index < 0) return
    const { place } = view.anchor ?? {}
    const top = ['day', 'new'].includes(lines[index - 1]?.kind ?? '') ? index - 1 : index
    if (place === 'top' || place === 'unread') return virtual.scrollToIndex(top, { align: 'start' })
    virtual.scrollToIndex(index, { align: 'center' })
    if (place === 'middle') scroller.current?.focus({ preventScroll: true })
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

  /** The seq of the last message whose end is on screen. */
  function lastShown(): number {
    const element = scroller.current
    if (!element) return 0
    // A short conversation is aligned to the bottom and on screen as a whole.
    const isWhole = element.scrollHeight <= element.clientHeight
    const bottom = isWhole ? Number.POSITIVE_INFINITY : element.scrollTop + element.clientHeight + SPARE_PX
    const shown = virtual.getVirtualItems().filter(({ end }) => end <= bottom)
    return shown.reduce((last, { index }) => Math.max(last, seqOf(lines[index])), 0)
  }
  const onSeen = useSeen(room, view, lastShown)

  /** The time of the first message on screen; undefined at the end, and where the heading of its day is on screen. */
  function firstShown(): string | undefined {
    const top = scroller.current?.scrollTop ?? 0
    const first = virtual.getVirtualItems().find(({ end }) => end > top + 8)
    const line = first && lines[first.index]
    return !isAtEnd && line?.kind === 'message' ? line.message.at : undefined
  }

  async function showLine(index: number): Promise<Element | undefined> {
    virtual.scrollToIndex(index, { align: 'auto' })
    for (let frames = 0; frames < 20; frames++) {
      await new Promise(requestAnimationFrame)
      const line = scroller.current?.querySelector(`[data-index="${index}"]`)
      if (line) return line
    }
    return undefined
  }
  const { startIndex = 0, endIndex = lines.length } = virtual.range ?? {}
  const { tabStop, press, onFocus } = useRowFocus(lines, { from: startIndex, to: endIndex, show: showLine })

  const isHeld = useStayAtEnd(scroller, isAtEnd, () => virtual.scrollToEnd())

  function look() {
    const element = scroller.current
    if (!element) return
    const fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight
    const isEnd = fromEnd <= END_PX || (isAtEnd && isHeld())
    if (isAtEnd !== isEnd) changeView(room, { isAtEnd: isEnd })
    onSeen()
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
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the messages in it, which have the focus */}
        <div className="talk-in" style={{ height: virtual.getTotalSize() }} onKeyDown={(event) => void press(event)}>
          {virtual.getVirtualItems().map(({ key, index, start }) => {
            const line = lines[index]
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the message in it has the focus
              <div
                key={key}
                className={`line ${index === lines.length - 1 ? 'newest' : ''} ${isMessage(line, foundId) ? 'found' : ''} ${isMessage(line, matches?.currentId) ? 'current' : ''}`}
                data-index={index}
                onFocus={() => onFocus(index)}
                ref={virtual.measureElement}
                style={{ transform: `translateY(${start}px)` }}
              >
                {line && (
                  <TimelineLine
                    line={line}
                    name={name}
                    about={about}
                    isTabStop={index === tabStop}
                    marks={line.kind === 'message' ? matches?.ranges.get(line.message.id) : undefined}
                    onRetry={retry}
                    onDelete={remove}
                    onDay={onDay}
                  />
                )}
              </div>
            )
          })}
        </div>
      </div>
      <StickyDay scroller={scroller} firstShown={firstShown} />
      {(!isAtEnd || view.hasNewer) && <JumpButton count={room.unreadCount} onJump={() => void jump()} />}
      <Announcer messages={view.messages} name={name} isPaused={view.hasNewer || view.isOpening} />
    </div>
  )
}

const isMessage = (line: Line | undefined, id: string | undefined) =>
  id !== undefined && line?.kind === 'message' && line.message.id === id

const seqOf = (line: Line | undefined): number => (line?.kind === 'message' ? (line.message.seq ?? 0) : 0)
