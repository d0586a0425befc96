import { defaultRangeExtractor, measureElement, observeElementRect, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { Ellipsis } from 'lucide-react'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { isMarkedUnread, isPinned, marksStore } from '../../rooms/list/marks.ts'
import type { DirectChat, RoomFace } from '../../rooms/list/members.ts'
import { isNotes, isRequest } from '../../rooms/list/room.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import type { Person } from '../../rooms/trust/people.ts'
import { useNow } from '../../ui/env.tsx'
import { later } from '../../ui/later.tsx'
import { Row } from './Row.tsx'

const Request = later(async () => (await import('./Request.tsx')).Request)

export interface ListRow {
  room: RoomRow
  face: RoomFace
  /** The other members that are known. */
  people: Person[]
  /** undefined where the room is not direct. */
  direct: DirectChat | undefined
}

interface Props {
  rows: ListRow[]
  /** Names, in lower case, that several people have. */
  ambiguous: ReadonlySet<string>
  openRoomId: string | undefined
  onOpen: (chatRoomId: string) => void
  /** The room of the row that takes the focus as soon as it exists. */
  wantedId: string | undefined
  onFocused: () => void
}

/** px; rows that were not shown yet are taken to be as high as those that were. */
const ROW_PX = 64
/** Rows outside of the visible part. */
const OVERSCAN = 12

/** The rows of the list, of which only those near the visible part exist, the focused one and the wanted one. */
export function VirtualRows({ rows, ambiguous, openRoomId, onOpen, wantedId, onFocused }: Props) {
  const now = useNow()
  const marks = useStore(marksStore, (state) => state.marks)
  const list = useRef<HTMLUListElement>(null)
  const focusedId = useFocusedId(list)
  // Without a line nothing is loaded.
  useEffect(() => void Request.preload(), [])
  const kept = rows.flatMap(({ room: { id } }, index) => (id === focusedId || id === wantedId ? [index] : []))
  const [rowPx, setRowPx] = useState(ROW_PX)
  const virtual = useVirtualizer<HTMLDivElement, HTMLLIElement>({
    count: rows.length,
    // Found from the list itself: the parts of a page that hold it get their refs only after the effects of this one.
    getScrollElement: () => list.current?.closest<HTMLDivElement>('.list') ?? null,
    estimateSize: () => rowPx,
    // biome-ignore lint/correctness/useExhaustiveDependencies: another function makes it lay out all rows again
    getItemKey: useCallback((index: number) => rows[index]?.room.id ?? index, [rows, rowPx]),
    overscan: OVERSCAN,
    rangeExtractor: (range: Range) => [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b),
    // A phone hides the list behind an open chat, where nothing has a size: keep the rows.
    observeElementRect: (instance, report) => observeElementRect(instance, (rect) => rect.height > 0 && report(rect)),
    measureElement(element, entry, instance) {
      const px = measureElement(element, entry, instance)
      if (px > 0 && element.firstElementChild?.matches('a.row')) setRowPx(px)
      return px || (instance.measurementsCache[instance.indexFromElement(element)]?.size ?? rowPx)
    },
  })
  useLayoutEffect(() => {
    if (wantedId === undefined) return
    const link = list.current?.querySelector<HTMLElement>(`[data-room="${CSS.escape(wantedId)}"]`)
    link?.focus()
    if (link && document.activeElement === link) onFocused()
  })
  return (
    <ul aria-label="Contacts" className="rows" ref={list} style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ key, index, start }) => {
        const row = rows[index]
        if (!row) return null
        const { room, face, people, direct } = row
        return (
          <li
            key={key}
            data-index={index}
            ref={virtual.measureElement}
            aria-setsize={rows.length}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start}px)` }}
          >
            {direct && isRequest(room) ? (
              <Request {...direct} onAccepted={onOpen} />
            ) : (
              <>
                <Row
                  room={room}
                  name={face.name}
                  person={direct?.person}
                  mismatch={people.find(({ mismatch }) => mismatch)?.mismatch ?? null}
                  now={now}
                  isOpen={room.id === openRoomId}
                  isAmbiguous={ambiguous.has(face.name.toLowerCase())}
                  isPinned={isPinned(room, marks)}
                  isMarkedUnread={isMarkedUnread(room, marks)}
                />
                {(direct || isNotes(room)) && (
                  <button
                    type="button"
                    className="icon-btn tight more"
                    aria-haspopup="menu"
                    aria-label={`Actions for ${face.name}`}
                  >
                    <Ellipsis className="i i-16" aria-hidden />
                  </button>
                )}
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** The room of the row that had the focus last. The row stays wherever the list is scrolled to, or the focus would be lost. */
function useFocusedId(list: RefObject<HTMLUListElement | null>): string | undefined {
  const [focusedId, setFocusedId] = useState<string>()
  useEffect(() => {
    const element = list.current
    const note = ({ target }: FocusEvent) => {
      const link = target instanceof Element ? target.closest('li')?.querySelector('[data-room]') : null
      setFocusedId(link?.getAttribute('data-room') ?? undefined)
    }
    element?.addEventListener('focusin', note)
    return () => element?.removeEventListener('focusin', note)
  }, [list])
  return focusedId
}
