import { CircleAlert, Search, UserRoundPlus } from 'lucide-react'
import { useMemo } from 'react'
import { useStore } from 'zustand'
import { isSearchable } from '../../chat/search/search.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { Empty } from '../../ui/Empty.tsx'
import { useEnv } from '../../ui/env.tsx'
import { later } from '../../ui/later.tsx'
import type { Filter } from './listFilter.ts'
import { type ListRow, VirtualRows } from './VirtualRows.tsx'

const NoneFiltered = later(async () => (await import('./FilterBar.tsx')).NoneFiltered)

interface Props {
  openRoomId: string | undefined
  onOpen: (chatRoomId: string) => void
  rows: ListRow[]
  found: ListRow[]
  query: string
  wantedId: string | undefined
  filter: Filter
  onFocused: () => void
}

/** Shows the rows, or why there are none. */
export function Rows({ rows, found, query, filter, ...shown }: Props) {
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

function repeated(names: string[]): Set<string> {
  const seen = new Set<string>()
  return new Set(names.filter((name) => seen.has(name) || !seen.add(name)))
}
