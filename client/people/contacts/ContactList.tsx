import { Archive, AtSign, CircleAlert, ListFilter, Search, UserRoundPlus, X } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { isSearchable } from '../../chat/search/search.ts'
import { isArchived, marksStore } from '../../rooms/list/marks.ts'
import { directChat, faceOf, peopleOf } from '../../rooms/list/members.ts'
import { isEmptyNotes } from '../../rooms/list/notes.ts'
import { isFollowed, isNotes, isRequest, NOTES } from '../../rooms/list/room.ts'
import { nameOf, peopleStore } from '../../rooms/trust/people.ts'
import { Empty } from '../../ui/Empty.tsx'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import './contacts.css'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { roomsStore, sortRooms } from '../../rooms/list/roomList.ts'
import { later } from '../../ui/later.tsx'
import { writeOn } from '../../ui/writeOn.ts'
import type { AddingWay } from './AddMenu.tsx'
import { type Filter, passes } from './listFilter.ts'
import { useArrows } from './useArrows.tsx'
import { useRowMenu } from './useRowMenu.tsx'
import { type ListRow, VirtualRows } from './VirtualRows.tsx'

const FoundMessages = later(async () => (await import('../../chat/search/FoundMessages.tsx')).FoundMessages)

const AddMenu = later(async () => (await import('./AddMenu.tsx')).AddMenu)

const NotesMenu = later(async () => (await import('./NotesMenu.tsx')).NotesMenu)
const NoneFiltered = later(async () => (await import('./FilterBar.tsx')).NoneFiltered)
const FilterBar = later(async () => (await import('./FilterBar.tsx')).FilterBar)

const RowMenu = later(async () => (await import('./RowMenu.tsx')).RowMenu)

interface Props {
  openRoomId: string | undefined
  onOpen: (chatRoomId: string) => void
  /** Begins to add somebody in this way. */
  onAdd: (way: AddingWay) => void
  /** Shows the plans. */
  onPlans: () => void
  /** Stands beside the search. */
  beside?: ReactNode
  /** Stands above the rows. */
  above?: ReactNode
}

export function ContactList({ openRoomId, onOpen, onAdd, onPlans, beside, above }: Props) {
  const rows = useRows(openRoomId)
  const [query, setQuery] = useState('')
  const [isAdding, setAdding] = useState(false)
  const [chosen, choose] = useState<Filter>()
  const marks = useStore(marksStore, (state) => state.marks)
  const filter = chosen ?? 'all'
  const isSearching = query.trim() !== ''
  // A search looks through the archive too.
  const found = useMemo(
    () => rows.filter((row) => (isSearching ? matches(row, query) : passes(row, filter, { marks, openRoomId }))),
    [rows, query, isSearching, filter, marks, openRoomId],
  )
  const archived = useMemo(() => rows.filter(({ room }) => isArchived(room, marks)).length, [rows, marks])
  const isWhole = filter === 'all' && !isSearching
  const area = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  // The line may be lost before somebody searches.
  useEffect(() => void FoundMessages.preload(), [])
  const [wantedId, want] = useWanted(found, openRoomId)
  const [asked, endMenu] = useRowMenu(scroller)
  const askedRow = asked && rows.find(({ room }) => room.id === asked.chatRoomId)
  const askedChat = askedRow?.direct
  useArrows(area, {
    ids: found.map(({ room }) => room.id),
    focus: want,
    onEscape() {
      if (query === '' && chosen) {
        choose(undefined)
        return true
      }
      // A step leads from the list into the open chat.
      if (query === '') return writeOn()
      clear()
      return true
    },
  })
  function clear() {
    setQuery('')
    field.current?.focus()
  }
  return (
    <div className="finder" ref={area}>
      <search className="find">
        <div className="input">
          <Search className="i i-16" aria-hidden />
          <input
            ref={field}
            type="search"
            dir="auto"
            aria-label="Search contacts and messages"
            placeholder="Search"
            // Without this attribute the browser stores the typed text as a suggestion and in its session file.
            autoComplete="off"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          {query && <IconButton icon={X} label="Clear the search" isTight onClick={clear} />}
        </div>
        <IconButton
          icon={ListFilter}
          label={chosen ? 'Show all chats' : 'Filter the chats'}
          className="filter"
          aria-pressed={chosen !== undefined}
          onClick={() => choose(chosen ? undefined : 'unread')}
        />
        {beside}
        <IconButton icon={UserRoundPlus} label="Add someone" className="quickadd" onClick={() => setAdding(true)} />
        {isAdding && <AddMenu onAdd={onAdd} onClose={() => setAdding(false)} />}
        <p className="sr" role="status">
          {query.trim() && (found.length === 1 ? '1 contact found' : `${found.length} contacts found`)}
        </p>
      </search>
      {above}
      {chosen && !isSearching && <FilterBar filter={filter} onChoose={choose} />}
      <div className="list" ref={scroller}>
        <Rows {...{ rows, found, query, openRoomId, onOpen, wantedId, filter }} onFocused={() => want(undefined)} />
        {isWhole && archived > 0 && (
          <button type="button" className="archive" onClick={() => choose('archived')}>
            <Archive className="i" aria-hidden />
            Archived
            <span className="count still">{archived}</span>
          </button>
        )}
        {isSearchable(query) && (
          <FoundMessages
            query={query}
            hasContacts={found.length > 0}
            rooms={rows.flatMap(({ room }) => (isFollowed(room) ? [room] : []))}
          />
        )}
      </div>
      {asked && askedRow && isNotes(askedRow.room) && <NotesMenu room={askedRow.room} at={asked.at} onClose={endMenu} />}
      {asked && askedChat && <RowMenu chat={askedChat} at={asked.at} onOpen={onOpen} onClose={endMenu} />}
      <div className="foot">
        <button type="button" className="btn outline wide" onClick={() => onAdd('name')}>
          <AtSign className="i i-16" aria-hidden />
          Add by Username/Onion
        </button>
        <div className="ways">
          <button type="button" className="btn quiet" onClick={() => onAdd('invite')}>
            Invite
          </button>
          <button type="button" className="btn quiet" onClick={() => onAdd('scan')}>
            Scan QR
          </button>
          <button type="button" className="btn quiet" onClick={onPlans}>
            Security Plans
          </button>
        </div>
      </div>
    </div>
  )
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

/**
 * The room of the row that takes the focus as soon as it exists, which may be later: rows far from the visible part do not. After
 * closing a chat it is the row of that one.
 */
function useWanted(found: ListRow[], openRoomId: string | undefined) {
  const [wantedId, want] = useState<string>()
  const [lastOpenId, setLastOpenId] = useState(openRoomId)
  if (openRoomId !== lastOpenId) {
    setLastOpenId(openRoomId)
    want(openRoomId === undefined ? lastOpenId : undefined)
  } else if (wantedId !== undefined && found.every(({ room }) => room.id !== wantedId)) want(undefined)
  return [wantedId, want] as const
}

interface RowsProps extends Omit<Props, 'beside' | 'above' | 'onPlans' | 'onAdd'> {
  rows: ListRow[]
  found: ListRow[]
  query: string
  wantedId: string | undefined
  filter: Filter
  onFocused: () => void
}

function Rows({ rows, found, query, filter, ...shown }: RowsProps) {
  const env = useEnv()
  const status = useStore(roomsStore, (state) => state.status)
  const ambiguous = useMemo(() => repeated(rows.map(({ face }) => face.name.toLowerCase())), [rows])
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
        text="Trade usernames or onion addresses, or show your code by Invite."
      />
    )
  // The search of messages says so, where it finds nothing either.
  if (found.length === 0 && isSearchable(query)) return null
  if (found.length === 0 && query.trim() === '' && filter !== 'all') return <NoneFiltered filter={filter} />
  if (found.length === 0 && query.trim() === '') return null
  if (found.length === 0) return <Empty icon={Search} title="No contacts found" />
  return <VirtualRows rows={found} ambiguous={ambiguous} {...shown} />
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

function matches({ room, people }: ListRow, query: string): boolean {
  const part = query.trim().toLowerCase().replace(/^@/, '')
  const names = isNotes(room)
    ? [NOTES]
    : people.flatMap((person) => {
        const handle = person.isDeleted ? [] : [person.username]
        return isRequest(room) ? handle : [nameOf(person), ...(person.isDeleted ? [] : [person.displayName]), ...handle]
      })
  // A room of nobody else has no name to look for.
  return part === '' || names.some((name) => name.toLowerCase().includes(part))
}

function repeated(names: string[]): Set<string> {
  const seen = new Set<string>()
  return new Set(names.filter((name) => seen.has(name) || !seen.add(name)))
}
