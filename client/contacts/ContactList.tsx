import { AtSign, CircleAlert, Search, UserRoundPlus } from 'lucide-react'
import { useState } from 'react'
import { useStore } from 'zustand'
import { Empty } from '../ui/Empty.tsx'
import { useEnv, useNow } from '../ui/env.tsx'
import { AddContactDialog } from './AddContactDialog.tsx'
import './contacts.css'
import { reloadContacts } from './contacts.ts'
import { Request } from './Request.tsx'
import { nameOf, Row } from './Row.tsx'
import { type ContactRow, contactsStore } from './store.ts'

interface Props {
  openRoomId: string | undefined
  onOpen: (chatRoomId: string) => void
}

export function ContactList({ openRoomId, onOpen }: Props) {
  const { rows } = useStore(contactsStore)
  const [query, setQuery] = useState('')
  const [isAdding, setAdding] = useState(false)
  const found = rows.filter((row) => matches(row, query))
  return (
    <>
      <search className="find">
        <label className="input">
          <Search className="i i-16" aria-hidden />
          <span className="sr">Search contacts</span>
          <input type="search" placeholder="Search" value={query} onChange={(event) => setQuery(event.target.value)} />
        </label>
        <p className="sr" role="status">
          {query.trim() && `${found.length} found`}
        </p>
      </search>
      <Rows rows={rows} found={found} openRoomId={openRoomId} onOpen={onOpen} />
      <footer className="foot">
        <button type="button" className="btn outline wide" onClick={() => setAdding(true)}>
          <AtSign className="i i-16" aria-hidden />
          Add by Username/Onion
        </button>
      </footer>
      {isAdding && <AddContactDialog onClose={() => setAdding(false)} />}
    </>
  )
}

function Rows({ rows, found, openRoomId, onOpen }: Props & { rows: ContactRow[]; found: ContactRow[] }) {
  const env = useEnv()
  const now = useNow()
  const status = useStore(contactsStore, (state) => state.status)
  if (status === 'loading' && rows.length === 0) return <Loading />
  if (status === 'failed' && rows.length === 0)
    return (
      <div className="list" role="alert">
        <Empty icon={CircleAlert} title="Contacts could not be loaded">
          <button type="button" className="btn outline" onClick={() => reloadContacts(env)}>
            Try again
          </button>
        </Empty>
      </div>
    )
  if (rows.length === 0)
    return (
      <div className="list">
        <Empty icon={UserRoundPlus} title="No contacts yet. Add some to start chatting!" />
      </div>
    )
  if (found.length === 0)
    return (
      <div className="list">
        <Empty icon={Search} title="No contacts found" />
      </div>
    )
  const ambiguous = repeated(rows.map((row) => nameOf(row).toLowerCase()))
  return (
    <ul className="list" aria-label="Contacts">
      {found.map((row) => (
        <li key={row.id}>
          {row.state === 'pending' ? (
            <Request row={row} onAccepted={() => onOpen(row.chatRoomId)} />
          ) : (
            <Row
              row={row}
              now={now}
              isOpen={row.chatRoomId === openRoomId}
              isAmbiguous={ambiguous.has(nameOf(row).toLowerCase())}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

function Loading() {
  return (
    <div className="list" role="status">
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

function matches(row: ContactRow, query: string): boolean {
  const wanted = query.trim().toLowerCase().replace(/^@/, '')
  const names = row.state === 'pending' ? [row.contactUser.username] : [nameOf(row), row.contactUser.username]
  return names.some((name) => name.toLowerCase().includes(wanted))
}

function repeated(names: string[]): Set<string> {
  const seen = new Set<string>()
  return new Set(names.filter((name) => seen.has(name) || !seen.add(name)))
}
