import { Atom, History, LockKeyhole, LogOut } from 'lucide-react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account.ts'
import { LIMITS } from '../../contract/limits.ts'
import { devicesStore } from '../devices/store.ts'
import { KitReminder } from '../kit/KitReminder.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { useNow } from '../ui/env.tsx'
import { Mark } from '../ui/Mark.tsx'
import { greeting } from '../ui/time.ts'
import { ConnectionStatus } from './ConnectionStatus.tsx'

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

/** The first word of a name if it is a name by itself: not "Dr.", and not in scripts without spaces. */
function calledBy(name: string): string {
  const [first = name] = name.split(' ')
  const word = /^[\p{Script=Latin}'’-]{2,}$/u.test(first) ? first : name
  return word.endsWith('.') ? word : `${word}.`
}

export function Welcome({ user, onLogout }: { user: User; onLogout: () => void }) {
  const now = useNow(60_000)
  const onionAddress = useStore(devicesStore, (state) => state.onionAddress)
  return (
    <div className="hello-frame">
      <section className="hello" aria-label="Welcome">
        <Mark />
        <h2 className="serif" dir="auto">
          {greeting(now)}, {calledBy(user.displayName)}
        </h2>
        <p className="t2">Choose a conversation, or add someone by username or onion address.</p>
        <div className="state">
          <ConnectionStatus />
          {onionAddress && (
            <span className="own" title={onionAddress}>
              <span className="sr">Your onion address starts with </span>
              <span className="mono t2">{onionAddress.slice(0, LIMITS.onionShownChars)}…</span>
              <CopyButton text={onionAddress} label="Copy your onion address" />
            </span>
          )}
        </div>
        <KitReminder place="panel" />
        <ul className="facts">
          {FACTS.map(({ Icon, title, text }) => (
            <li key={title}>
              <Icon className="i" aria-hidden />
              <div>
                <b>{title}</b>
                <span>{text}</span>
              </div>
            </li>
          ))}
        </ul>
        <button type="button" className="btn outline" onClick={onLogout}>
          <LogOut className="i i-16" aria-hidden />
          Logout
        </button>
      </section>
    </div>
  )
}
