import { useMemo } from 'react'
import { useStore } from 'zustand'
import { isNamed } from '../../rooms/list/isNamed.ts'
import { isArchived, marksStore } from '../../rooms/list/marks.ts'
import { directChat, faceOf, peopleOf } from '../../rooms/list/members.ts'
import { isEmptyNotes } from '../../rooms/list/notes.ts'
import { roomsStore, sortRooms } from '../../rooms/list/roomList.ts'
import { peopleStore } from '../../rooms/trust/people.ts'
import { type Filter, passes } from './listFilter.ts'
import type { ListRow } from './VirtualRows.tsx'

interface Asked {
  query: string
  filter: Filter
  openRoomId: string | undefined
}

/** Returns all rows, those that are asked for, and how many are archived. A search looks through the archive too. */
export function useListRows({ query, filter, openRoomId }: Asked): { rows: ListRow[]; found: ListRow[]; archived: number } {
  const marks = useStore(marksStore, (state) => state.marks)
  const rows = useRows(openRoomId)
  const found = useMemo(
    () =>
      rows.filter((row) =>
        query.trim() === '' ? passes(row, filter, { marks, openRoomId }) : isNamed(row.room, row.people, query),
      ),
    [rows, query, filter, marks, openRoomId],
  )
  const archived = useMemo(() => rows.filter(({ room }) => isArchived(room, marks)).length, [rows, marks])
  return { rows, found, archived }
}

/** The rooms with their people, in the order of the list. */
function useRows(openRoomId: string | undefined): ListRow[] {
  const rooms = useStore(roomsStore, (state) => state.rooms)
  const people = useStore(peopleStore, (state) => state.people)
  const marks = useStore(marksStore, (state) => state.marks)
  return useMemo(
    () =>
      sortRooms(rooms.values(), { marks }).flatMap((room) => {
        const face = isEmptyNotes(room) && room.id !== openRoomId ? undefined : faceOf(room, people)
        return face ? [{ room, face, people: peopleOf(room, people), direct: directChat(room, people) }] : []
      }),
    [rooms, people, marks, openRoomId],
  )
}
