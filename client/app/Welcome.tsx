import { Atom, Bookmark, ChevronLeft, ChevronRight, History, LockKeyhole, UserRoundPlus } from 'lucide-react'
import { useLocation } from 'wouter'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { onionOf } from '../../contract/people/onion.ts'
import { devicesStore } from '../me/devices/store.ts'
import { NOTES } from '../rooms/list/room.ts'
import { useEnv } from '../ui/env.tsx'
import { Unbroken } from '../ui/Unbroken.tsx'
import { CallingCard } from './CallingCard.tsx'
import { CHATS } from './chatAddresses.ts'
import { FirstSteps } from './FirstSteps.tsx'
import { NotShown } from './NotShown.tsx'
import { showNotes } from './showNotes.ts'
import './welcome.css'

const FACTS = [
  {
    Icon: LockKeyhole,
    title: 'Sealed on this device',
    text: 'AES-256-GCM, before anything is sent; the server holds no key to it.',
  },
  {
    Icon: History,
    title: 'Forward secrecy',
    text: 'Every message has a key of its own, used once. A history kept for your other browsers opens with your password, recovery kit or passkey.',
  },
  {
    Icon: Atom,
    title: 'Hybrid post-quantum key exchange',
    text: 'X25519 together with ML-KEM-768. Signatures are classical: Ed25519.',
  },
]

interface Props {
  user: User
  /** Leads to the chats, from an address that nothing has. */
  onClose: () => void
  /** undefined where the list stands beside this screen, or has nobody in it. */
  onList: (() => void) | undefined
  onAdd: () => void
}

/** What stands beside the list while no chat is open: who one is here, and what to do first. */
export function Welcome({ user, onClose, onList, onAdd }: Props) {
  const onionAddress = onionOf(useStore(devicesStore, (state) => state.identityKey))
  const [location, navigate] = useLocation()
  const env = useEnv()
  if (location !== '/home' && !CHATS.includes(location)) return <NotShown isPage onClose={onClose} />
  return (
    <div className="hello-frame">
      <section className="hello" aria-label="Welcome">
        {onList && (
          <button type="button" className="btn quiet to-list" onClick={onList}>
            <ChevronLeft className="i i-16" aria-hidden />
            Chats
          </button>
        )}
        <CallingCard user={user} onionAddress={onionAddress} />
        <div className="go">
          <button type="button" className="btn primary large" onClick={onAdd}>
            <UserRoundPlus className="i" aria-hidden />
            Add someone
          </button>
          <p className="small t2">By username or onion address. They see a request first.</p>
        </div>
        <div className="go">
          <button type="button" className="btn outline large" onClick={() => void showNotes(env, navigate)}>
            <Bookmark className="i" aria-hidden />
            {NOTES}
          </button>
          <p className="small t2">Write something for yourself: only you read it, on all your browsers.</p>
        </div>
        <FirstSteps />
        <details className="fold">
          <summary>
            <ChevronRight className="i i-16" aria-hidden />
            How it is sealed
          </summary>
          <ul className="facts">
            {FACTS.map(({ Icon, title, text }) => (
              <li key={title}>
                <Icon className="i" aria-hidden />
                <div>
                  <b>{title}</b>
                  <span>
                    <Unbroken text={text} />
                  </span>
                </div>
              </li>
            ))}
          </ul>
          <a className="all-claims" href="/security">
            All that Conclave claims, and how you can tell
          </a>
        </details>
      </section>
    </div>
  )
}
