import { observeElementOffset, useVirtualizer } from '@tanstack/react-virtual'
import { LoaderCircle } from 'lucide-react'
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import { isStarred, marksStore } from '../../rooms/list/marks.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { later } from '../../ui/later.tsx'
import { whenPainted } from '../../ui/painted.ts'
import { useLatest } from '../../ui/useLatest.tsx'
import { jumpToNewest, loadNewer, loadOlder } from './messages.ts'
import { isSelected, selectionStore } from './selection.ts'
import { changeView, type RoomView } from './store.ts'
import { TimelineRow } from './TimelineRow.tsx'
import { holds, isApart, type Line, timelineLines } from './timelineLines.ts'
import './timeline.css'
import { useAnchor } from './useAnchor.tsx'
import { useLineSizes } from './useLineSizes.tsx'
import { usePaging } from './usePaging.tsx'
import { useRowFocus } from './useRowFocus.tsx'
import { useSeen } from './useSeen.tsx'
import { useStayAtEnd } from './useStayAtEnd.tsx'
import { useStaying } from './useStaying.tsx'

const Announcer = later(async () => (await import('./Announcer.tsx')).Announcer)
const MessageActs = later(async () => (await import('./MessageActs.tsx')).MessageActs)
const SelectBar = later(async () => (await import('./SelectBar.tsx')).SelectBar)
const JumpButton = later(async () => (await import('./JumpButton.tsx')).JumpButton)
const StickyDay = later(async () => (await import('./StickyDay.tsx')).StickyDay)

const NEAR_PX = 600
const END_PX = 80
/** Hidden height at which a message still counts as read: the space under its bubble. */
const SPARE_PX = 6

interface Props {
  room: RoomRow
  view: RoomView
  name: string
  /** ISO 8601; null if unknown. */
  comparedAt: string | null
  isByCode: boolean
  about: ReactNode
  onUpgrade: () => void
  onDay: (from: Date) => void
}

export function Timeline({ room, view, name, comparedAt, isByCode, about, onUpgrade, onDay }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const hadNewer = useRef(view.hasNewer)
  const { fresh, hasOlder, hasNewer, isAtEnd, matches } = view
  const messages = useStaying(view.messages)
  const lines = useMemo(
    () => timelineLines({ messages, fresh, hasOlder, hasNewer, comparedAt, isByCode }),
    [messages, fresh, hasOlder, hasNewer, comparedAt, isByCode],
  )
  const selection = useStore(selectionStore, ({ selection: of }) => (of?.chatRoomId === room.id ? of : null))
  const marks = useStore(marksStore, (state) => state.marks)
  const newest = lines.at(-1)
  const isOwnNew = newest?.kind === 'message' && newest.message.isMine && newest.message.seq === null
  // A page of newer messages must not scroll the reader to its end.
  const isFollowing = isOwnNew || (isAtEnd && !view.hasNewer && !hadNewer.current)
  const { sizeOf, measure } = useLineSizes(lines, isFollowing)
  const isFollowScroll = useRef(false)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: sizeOf,
    measureElement: measure,
    // A reported scroll after a new message would render all lines at once and repeat the layout.
    observeElementOffset: (list, tell) =>
      observeElementOffset(list, (offset, isScrolling) => {
        tell(offset, isScrolling && !isFollowScroll.current)
        isFollowScroll.current = false
      }),
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: 10,
    paddingStart: 8,
    paddingEnd: 30,
    // Some read messages stay visible above the line of unread messages.
    scrollPaddingStart: view.anchor?.place === 'unread' ? (scroller.current?.clientHeight ?? innerHeight) / 4 : 0,
    anchorTo: 'end',
    scrollEndThreshold: END_PX,
  })

  const isJumpedTo = useRef(view.anchor !== null)
  useLayoutEffect(() => {
    if (!isJumpedTo.current) virtual.scrollToEnd()
  }, [virtual])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new line moves the view
  useEffect(() => {
    if (!isFollowing || !newest?.key) return
    // The frame includes a layout anyway; a layout here would delay a tap on Send.
    const frame = requestAnimationFrame(() => {
      const before = scroller.current?.scrollTop
      virtual.scrollToEnd()
      isFollowScroll.current = scroller.current?.scrollTop !== before
    })
    return () => cancelAnimationFrame(frame)
  }, [virtual, newest?.key])
  useEffect(() => {
    hadNewer.current = view.hasNewer
  })

  const { tabStop, press, focusAt, onFocus } = useRowFocus(scroller, virtual, lines)
  const foundId = useAnchor(focusAt, virtual, lines, view.anchor)
  const { attempt, page } = usePaging(room, view, () => latestLook.current())

  function lastShown(): number {
    const element = scroller.current
    if (!element) return 0
    const isWhole = element.scrollHeight <= element.clientHeight
    const bottom = isWhole ? Number.POSITIVE_INFINITY : element.scrollTop + element.clientHeight + SPARE_PX
    const shown = virtual.getVirtualItems().filter(({ end }) => end <= bottom)
    return shown.reduce((last, { index }) => Math.max(last, seqOf(lines[index])), 0)
  }
  const onSeen = useSeen(room, view, lastShown)

  /** Returns undefined at the end and if the day's heading is on screen. */
  function firstShown(): string | undefined {
    const top = scroller.current?.scrollTop ?? 0
    const first = virtual.getVirtualItems().find(({ end }) => end > top + 8)
    const line = first && lines[first.index]
    return !isAtEnd && line?.kind === 'message' ? line.message.at : undefined
  }

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
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page is a new occasion
  useEffect(() => {
    // The mark can wait for the paint of the bubble.
    return whenPainted(() => latestLook.current())
  }, [view.messages])
  async function jump() {
    if (view.hasNewer) await attempt(jumpToNewest)
    requestAnimationFrame(() => virtual.scrollToEnd())
    scroller.current?.focus({ preventScroll: true })
  }

  return (
    <>
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
              if (!line) return null
              return (
                <TimelineRow
                  key={key}
                  {...contentOf(line)}
                  {...{ index, start, name, onFocus, onDay }}
                  about={line.kind === 'about' && about}
                  isApart={isApart(lines, index)}
                  isFound={holds(line, foundId)}
                  isCurrent={holds(line, matches?.currentId)}
                  isTabStop={index === tabStop}
                  isPicked={selection ? isSelected(line, selection) : undefined}
                  isStarred={line.kind === 'message' && isStarred(marks, room.id, line.message)}
                  marks={line.kind === 'message' ? matches?.ranges.get(line.message.id) : undefined}
                  measure={virtual.measureElement}
                  onUpgrade={onUpgrade}
                />
              )
            })}
          </div>
        </div>
        <MessageActs chatRoomId={room.id} scroller={scroller} lines={lines} onUpgrade={onUpgrade} />
        <StickyDay scroller={scroller} firstShown={firstShown} />
        {(!isAtEnd || view.hasNewer) && <JumpButton count={room.unreadCount} onJump={() => void jump()} />}
        <Announcer messages={view.messages} name={name} isPaused={view.hasNewer || view.isOpening} />
      </div>
      {selection && <SelectBar {...{ room, name, onUpgrade }} />}
    </>
  )
}

const contentOf = ({ key: _, ...content }: Line) => content

const seqOf = (line: Line | undefined): number => (line?.kind === 'message' ? (line.message.seq ?? 0) : 0)
