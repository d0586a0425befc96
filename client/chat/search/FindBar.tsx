import { ChevronDown, ChevronUp, Search, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Room } from '../../rooms/list/room.ts'
import { takeEarly } from '../../ui/Early.tsx'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { useOver } from '../../ui/useOver.tsx'
import { writeOn } from '../../ui/writeOn.ts'
import { endFind, type FindState, findInChat, findStore, stepFind } from './findInChat.ts'
import { Reach } from './Reach.tsx'
import './findInChat.css'
import { isSearchable } from './search.ts'
import { searchStore } from './store.ts'

interface Props {
  room: Room
  /** Another number each time that the search was asked for: the field then takes the focus. */
  asked: number
  onClose: () => void
}

/** A place behind every text. */
const SELECTION_END = 1e6

/** The search inside the open chat: a bar under its header. */
export function FindBar({ room, asked, onClose }: Props) {
  const env = useEnv()
  const [query, setQuery] = useState(() => takeEarly()?.typed ?? '')
  const state = useStore(findStore)
  const isLoading = useStore(searchStore, ({ older }) => older !== null)
  const field = useRef<HTMLInputElement>(null)
  const bar = useRef<HTMLElement>(null)
  const giveBack = useOver(close, 'search')
  const place = useRef(room)
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again, it takes the focus again
  useEffect(() => field.current?.select(), [asked])
  // What was typed before this was here is not chosen: the next letter stands behind it.
  useEffect(() => field.current?.setSelectionRange(SELECTION_END, SELECTION_END), [])
  // Older messages that were loaded meanwhile are searched too.
  useEffect(() => void (isLoading || findInChat(env, place.current, query)), [env, query, isLoading])
  useEffect(() => () => endFind(place.current), [])

  /** Who has searched by key writes on as well. */
  function close() {
    onClose()
    if (!writeOn()) requestAnimationFrame(giveBack)
  }

  function press(event: KeyboardEvent<HTMLElement>) {
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
      event.stopPropagation()
      close()
    }
    if (event.key !== 'Enter' || event.target !== field.current || event.nativeEvent.isComposing) return
    event.preventDefault()
    void stepFind(env, room, event.shiftKey ? 1 : -1)
  }

  const hasOne = state.matches.length > 0
  return (
    <search className="find-bar" aria-label="Search in this chat" ref={bar} onKeyDown={press}>
      <label className="input">
        <Search className="i i-16" aria-hidden />
        <span className="sr">Search in this chat</span>
        <input
          ref={field}
          type="text"
          dir="auto"
          enterKeyHint="search"
          placeholder="Search in this chat"
          // Without this attribute the browser stores the typed text as a suggestion and in its session file.
          autoComplete="off"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </label>
      <p role="status">{isSearchable(query) && words(state)}</p>
      {hasOne && <IconButton icon={ChevronUp} label="Previous match" onClick={() => void stepFind(env, room, -1)} />}
      {hasOne && <IconButton icon={ChevronDown} label="Next match" onClick={() => void stepFind(env, room, 1)} />}
      <IconButton icon={X} label="Close the search" onClick={close} />
      {(state.isUnloaded || isLoading) && <Reach rooms={[room]} />}
    </search>
  )
}

function words({ isAnswered, matches, hasMore, at, failure }: FindState): string {
  if (failure) return `Search failed. ${failure}`
  if (!isAnswered) return 'Searching...'
  if (matches.length === 0) return 'Nothing found'
  return `${at + 1} of ${matches.length}${hasMore ? '+' : ''}`
}
