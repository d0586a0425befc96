import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import { LIMITS } from '../../contract/limits.ts'
import { connectionStore } from '../net/status.ts'
import { Avatar, PresenceDot } from '../ui/Avatar.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { useCopy } from '../ui/useCopy.tsx'
import { NARROW, useMedia } from '../ui/useMedia.tsx'
import { nameOf, type Person } from './people.ts'
import { STOPPED } from './pill.ts'
import { SafetyNumber } from './SafetyNumber.tsx'
import './details.css'

interface Props {
  person: Person
  onClose: () => void
  /** The person has decided what stopped sending: messages that waited go out. */
  onFreed: () => void
}

const TITLE = 'Contact'

/** Who the other person is, and what is known of their keys. Beside or over the conversation; on a phone a sheet. */
export function ContactPanel({ person, onClose, onFreed }: Props) {
  const isPhone = useMedia(NARROW)
  const parts = <Parts person={person} onFreed={onFreed} />
  if (!isPhone) return <Column onClose={onClose}>{parts}</Column>
  return (
    <Dialog title={TITLE} onClose={onClose}>
      <div className="details-sheet">{parts}</div>
    </Dialog>
  )
}

function Column({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const title = useRef<HTMLHeadingElement>(null)
  const opener = useRef(document.activeElement)
  useEffect(() => title.current?.focus({ preventScroll: true }), [])

  function close() {
    onClose()
    if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus()
  }

  function press(event: KeyboardEvent) {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    event.stopPropagation()
    close()
  }

  return (
    <aside className="details" aria-label="Contact details" onKeyDown={press}>
      <header>
        <h2 ref={title} tabIndex={-1}>
          {TITLE}
        </h2>
        <IconButton icon={X} label="Close contact details" onClick={close} />
      </header>
      {children}
    </aside>
  )
}

function Parts({ person, onFreed }: Omit<Props, 'onClose'>) {
  const isConnected = useStore(connectionStore, ({ phase }) => phase === 'open')
  const name = nameOf(person)
  const { mismatch, onionAddress, isVerified, isByAddress } = person
  const mark = mismatch ? STOPPED[mismatch] : isVerified ? 'Verified' : isByAddress ? 'Added by address' : 'Not verified'
  return (
    <>
      <section className="id" aria-label="Name">
        <Avatar id={person.id} name={name} size={60}>
          <PresenceDot isOnline={isConnected && person.isOnline} />
        </Avatar>
        <div>
          <p className="serif" dir="auto">
            {name}
          </p>
          <p className="small t2">
            {isConnected && person.isOnline && 'Online · '}@{person.username}
          </p>
        </div>
      </section>
      <section aria-label="Encryption">
        <h3>
          Encryption <span className={mismatch ? 'bad' : isVerified ? 'good' : ''}>{onionAddress && mark}</span>
        </h3>
        {onionAddress ? (
          <Address address={onionAddress} />
        ) : (
          <p className="small t2">
            <bdi>{name}</bdi> has no device yet. What you write waits on yours.
          </p>
        )}
        {onionAddress && (!mismatch || mismatch === 'numbers_differ') && (
          <SafetyNumber key={person.id} person={person} onFreed={onFreed} />
        )}
        {mismatch && mismatch !== 'numbers_differ' && (
          <p className="small t2">The conversation says what has changed. The safety number shows again once you have decided.</p>
        )}
      </section>
    </>
  )
}

function Address({ address }: { address: string }) {
  const { isCopied, copy } = useCopy(address)
  return (
    <div>
      <p className="small t2">Messages are end-to-end encrypted via onion address:</p>
      <p className="address-line">
        <span className="mono" title={address}>
          {address.slice(0, LIMITS.onionShownChars)}…
        </span>{' '}
        <button type="button" className="linkish" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy in full'}
        </button>
      </p>
    </div>
  )
}
