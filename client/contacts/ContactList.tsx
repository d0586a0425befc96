import { AtSign, CircleAlert, Search, UserRoundPlus } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { FoundMessages } from '../search/FoundMessages.tsx'
import { isSearchable } from '../search/search.ts'
import { nameOf, type Person, peopleStore } from '../trust/people.ts'
import { Empty } from '../ui/Empty.tsx'
import { useEnv, useNow } from '../ui/env.tsx'
import './contacts.css'
import { type RoomRow, roomsStore, sortRooms } from '../rooms/list.ts'
import { refreshRooms } from '../rooms/load.ts'
import { peerIdOf } from '../rooms/room.ts'
import { Request } from './Request.tsx'
import { Row } from './Row.tsx'
import { useArrows } from './useArrows.tsx'

interface Props {
  openRoomId: string | undefined
  onOpen: (chatRoomId: string) => void
  onAdd: () => void
  /** Stands beside the search. */
  beside?: ReactNode
}

export function ContactList({ openRoomId, onOpen, onAdd, beside }: Props) {
  const rows = useRows()
  const [query, setQuery] = useState('')
  const found = rows.filter((row) => matches(row, query))
  const area = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useArrows(area, () => {
    if (query === '') return
    setQuery('')
    field.current?.focus()
  })
  return (
    <div className="finder" ref={area}>
      <search className="find">
        <label className="input">
          <Search className="i i-16" aria-hidden />
          <span className="sr">Search contacts and messages</span>
          <input
            ref={field}
            type="search"
            placeholder="Search"
            // Without this attribute the browser stores the typed text as a suggestion and in its session file.
            autoComplete="off"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </label>
        {beside}
        <p className="sr" role="status">
          {query.trim() && (found.length === 1 ? '1 contact found' : `${found.length} contacts found`)}
        </p>
      </search>
      <div className="list">
        <Rows rows={rows} found={found} query={query} openRoomId={openRoomId} onOpen={onOpen} onAdd={onAdd} />
        {isSearchable(query) && (
          <FoundMessages query={query} rooms={rows.flatMap(({ room }) => (room.state === 'accepted' ? [room] : []))} />
        )}
      </div>
      <footer className="foot">
        <button type="button" className="btn outline wide" onClick={onAdd}>
          <AtSign className="i i-16" aria-hidden />
          Add by Username/Onion
        </button>
      </footer>
    </div>
  )
}

interface ListRow {
  room: RoomRow
  /** The other person of the room. */
  person: Person
}

/** The direct rooms with their people, in the order of the list. */
function useRows(): ListRow[] {
  const rooms = useStore(roomsStore, (state) => state.rooms)
  const people = useStore(peopleStore, (state) => state.people)
  return useMemo(
    () =>
      sortRooms(rooms.values()).flatMap((room) => {
        const person = people.get(peerIdOf(room) ?? '')
        return person ? [{ room, person }] : []
      }),
    [rooms, people],
  )
}

interface RowsProps extends Omit<Props, 'beside'> {
  rows: ListRow[]
  found: ListRow[]
  query: string
}

function Rows({ rows, found, query, openRoomId, onOpen, onAdd }: RowsProps) {
  const env = useEnv()
  const now = useNow()
  const status = useStore(roomsStore, (state) => state.status)
  if (status === 'loading' && rows.length === 0) return <Loading />
  if (status === 'failed' && rows.length === 0)
    return (
      <div role="alert">
        <Empty icon={CircleAlert} title="Contacts could not be loaded">
          <button type="button" className="btn outline" onClick={() => refreshRooms(env)}>
            Try again
          </button>
        </Empty>
      </div>
    )
  if (rows.length === 0)
    return (
      <Empty
        icon={UserRoundPlus}
        title="No contacts yet. Add some to start chatting!"
        text="Trade usernames, or onion addresses."
      >
        <button type="button" className="btn outline" onClick={onAdd}>
          Add someone
        </button>
      </Empty>
    )
  if (found.length === 0 && isSearchable(query)) return <p className="none">No contacts found</p>
  if (found.length === 0) return <Empty icon={Search} title="No contacts found" />
  const ambiguous = repeated(rows.map(({ person }) => nameOf(person).toLowerCase()))
  return (
    <ul aria-label="Contacts">
      {found.map(({ room, person }) => (
        <li key={room.id}>
          {room.state === 'pending' ? (
            <Request room={room} person={person} onAccepted={() => onOpen(room.id)} />
          ) : (
            <Row
              room={room}
              person={person}
              now={now}
              isOpen={room.id === openRoomId}
              isAmbiguous={ambiguous.has(nameOf(person).toLowerCase())}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

function Loading() {
  return (
    <div role="status">
      <span className="sr">Loading contacts...</span>
      <div className="late skels" aria-hidden="true">
        {['a', 'b', 'c', 'd', 'e'].map((key) => (
          <div className="row" key={key}>
            <span className="skel round" />
            <div>
              <div className="skel half" />
              <div className="skel" />
            </div>
          </div>
        ))}
        <p className="small t2">Loading contacts...</p>
      </div>
    </div>
  )
}

function matches({ room, person }: ListRow, query: string): boolean {
  const part = query.trim().toLowerCase().replace(/^@/, '')
  const handle = person.isDeleted ? [] : [person.username]
  const names = room.state === 'pending' ? handle : [nameOf(person), ...handle]
  return names.some((name) => name.toLowerCase().includes(part))
}

function repeated(names: string[]): Set<string> {
  const seen = new Set<string>()
  return new Set(names.filter((name) => seen.has(name) || !seen.add(name)))
}
