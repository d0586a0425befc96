import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { onionOf } from '../../../contract/people/onion.ts'
import { Avatar, PresenceDot } from '../../ui/Avatar.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { useCopy } from '../../ui/useCopy.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import { NARROW, useMedia } from '../../ui/useMedia.tsx'
import { useOver } from '../../ui/useOver.tsx'
import { BESIDE, takeOpened } from './details.ts'
import { nameOf, type Person } from './people.ts'
import { isListFault } from './refusedList.ts'
import { SafetyNumber } from './SafetyNumber.tsx'
import { addressWords, STOPPED } from './trustPill.ts'
import './details.css'

interface Props {
  person: Person
  presence: { isOnline: boolean | null; words: string } | undefined
  onClose: () => void
  onFreed: () => void
  /** True while a question stands over the panel. */
  isCovered: boolean
  children: ReactNode
}

const TITLE = 'Contact'

export function ContactPanel({ person, presence, onClose, onFreed, isCovered, children }: Props) {
  const isNarrow = useMedia(NARROW)
  // A sheet that opens now would cover the question and its typed text.
  const [isPhone, setPhone] = useState(isNarrow)
  if (isPhone !== isNarrow && !isCovered) setPhone(isNarrow)
  const parts = (
    <>
      <Parts person={person} presence={presence} onFreed={onFreed} />
      {children}
    </>
  )
  if (!isPhone) return <Column onClose={onClose}>{parts}</Column>
  return (
    <Dialog title={TITLE} onClose={onClose}>
      <div className="details-sheet">{parts}</div>
    </Dialog>
  )
}

function Column({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const head = useRef<HTMLElement>(null)
  const giveBack = useOver(close, 'panel')
  useEffect(() => {
    if (takeOpened()) head.current?.querySelector('button')?.focus({ preventScroll: true })
  }, [])

  // A panel that lies over the chat closes when the chat gets the focus.
  const isBeside = useMedia(BESIDE)
  const latestClose = useLatest(onClose)
  useEffect(() => {
    if (isBeside) return
    const leave = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.matches('.chat-col :is(.talk, .compose, .find-bar) *, .talk')) latestClose.current()
    }
    document.addEventListener('focusin', leave)
    return () => document.removeEventListener('focusin', leave)
  }, [isBeside, latestClose])

  function close() {
    onClose()
    giveBack()
  }

  function press(event: KeyboardEvent) {
    // Beside the chat the search in it goes first.
    if (event.key !== 'Escape' || event.nativeEvent.isComposing || isBeside) return
    event.stopPropagation()
    close()
  }

  return (
    <aside className="details" aria-label="Contact details" onKeyDown={press}>
      <header ref={head}>
        <h2>{TITLE}</h2>
        <IconButton icon={X} label="Close contact details" onClick={close} />
      </header>
      {children}
    </aside>
  )
}

function Parts({ person, presence, onFreed }: Omit<Props, 'onClose' | 'isCovered' | 'children'>) {
  const name = nameOf(person)
  const { mismatch, identityKey, isVerified, isByAddress } = person
  const onionAddress = onionOf(identityKey)
  const mark = mismatch ? STOPPED[mismatch] : isVerified ? 'Verified' : isByAddress ? 'Added by address' : 'Not verified'
  return (
    <>
      <section className="id" aria-label="Name">
        <Avatar id={person.id} name={name} photo={person.photo} size={60}>
          <PresenceDot isOnline={presence?.isOnline} />
        </Avatar>
        <div>
          <p className="serif" dir="auto">
            {name}
          </p>
          {person.alias && (
            <p className="small t2" dir="auto">
              {person.displayName}
            </p>
          )}
          <p className="small t2">
            {presence && `${presence.words} · `}@{person.username}
          </p>
        </div>
      </section>
      <section aria-label="Encryption">
        <h3>
          Encryption <span className={mismatch ? 'bad' : isVerified ? 'good' : ''}>{onionAddress && mark}</span>
        </h3>
        {onionAddress ? (
          <Address address={onionAddress} mismatch={mismatch} />
        ) : (
          <p className="small t2">
            {mismatch === 'list_absent' ? (
              <>
                The server shows no onion address of <bdi>{name}</bdi>.
              </>
            ) : (
              <>
                <bdi>{name}</bdi> has no device yet. What you write waits on yours.
              </>
            )}
          </p>
        )}
        {onionAddress && (!mismatch || mismatch === 'numbers_differ') && (
          <SafetyNumber key={person.id} person={person} onFreed={onFreed} />
        )}
        {mismatch && mismatch !== 'numbers_differ' && (
          <p className="small t2">
            {isListFault(mismatch)
              ? 'The chat says what is wrong with the device list. The safety number shows again once the server has put it right.'
              : 'The chat says what has changed. The safety number shows again once you have decided.'}
          </p>
        )}
      </section>
    </>
  )
}

function Address({ address, mismatch }: { address: string; mismatch: Person['mismatch'] }) {
  const { isCopied, copy } = useCopy(address)
  return (
    <div>
      <p className="small t2">{addressWords(mismatch)}</p>
      <p className="address-line">
        <span className="mono" title={address}>
          {address.slice(0, LIMITS.onionShownChars)}…
        </span>{' '}
        <button type="button" className="linkish" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy in full'}
        </button>
      </p>
      <p className="small t2">It is the name of their key: nothing connects to it, not even Tor.</p>
    </div>
  )
}
