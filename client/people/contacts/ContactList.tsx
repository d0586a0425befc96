import { Archive, AtSign, ListFilter, Search, UserRoundPlus, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { isSearchable } from '../../chat/search/search.ts'
import { isFollowed, isNotes } from '../../rooms/list/room.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import './contacts.css'
import { later } from '../../ui/later.tsx'
import { writeOn } from '../../ui/writeOn.ts'
import type { AddingWay } from './AddMenu.tsx'
import type { Filter } from './listFilter.ts'
import { movedStore } from './moved.ts'
import { Rows } from './Rows.tsx'
import { useArrows } from './useArrows.tsx'
import { useListRows } from './useListRows.tsx'
import { useRowMenu } from './useRowMenu.tsx'
import type { ListRow } from './VirtualRows.tsx'

const FoundMessages = later(async () => (await import('../../chat/search/FoundMessages.tsx')).FoundMessages)

const AddMenu = later(async () => (await import('./AddMenu.tsx')).AddMenu)

const NotesMenu = later(async () => (await import('./NotesMenu.tsx')).NotesMenu)
const FilterBar = later(async () => (await import('./FilterBar.tsx')).FilterBar)

const RowMenu = later(async () => (await import('./RowMenu.tsx')).RowMenu)
// Nobody asked for it: the menu has the same.
const RowSwipes = later(async () => (await import('./RowSwipes.tsx').catch(() => undefined))?.RowSwipes ?? (() => null))

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
  const [query, setQuery] = useState('')
  const [isAdding, setAdding] = useState(false)
  const [filter, choose] = useState<Filter>('all')
  const { rows, found, archived } = useListRows({ query, filter, openRoomId })
  const isSearching = query.trim() !== ''
  const moved = useStore(movedStore, ({ words }) => words)
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
      if (query === '' && filter !== 'all') {
        choose('all')
        area.current?.querySelector<HTMLElement>('.filter')?.focus()
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
          label={filter === 'all' ? 'Filter the chats' : 'Show all chats'}
          className={filter === 'all' ? 'filter' : 'filter on'}
          onClick={() => choose(filter === 'all' ? 'unread' : 'all')}
        />
        {beside}
        <IconButton icon={UserRoundPlus} label="Add someone" className="quickadd" onClick={() => setAdding(true)} />
        {isAdding && <AddMenu onAdd={onAdd} onClose={() => setAdding(false)} />}
        <p className="sr" role="status">
          {query.trim() ? (found.length === 1 ? '1 contact found' : `${found.length} contacts found`) : moved}
        </p>
      </search>
      {above}
      {filter !== 'all' && !isSearching && <FilterBar filter={filter} onChoose={choose} />}
      <div className="list" ref={scroller}>
        <Rows {...{ rows, found, query, openRoomId, onOpen, wantedId, filter }} onFocused={() => want(undefined)} />
        {filter === 'all' && !isSearching && archived > 0 && (
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
      {navigator.maxTouchPoints > 0 && <RowSwipes area={scroller} />}
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
