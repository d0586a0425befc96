import { FileKey, KeyRound, PhoneOff } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { Brand } from '../ui/Mark.tsx'
import './auth.css'

/** The dark side panel with the form beside it. */
export function AuthFrame({ children, mainRef }: { children: ReactNode; mainRef?: Ref<HTMLElement> }) {
  return (
    <div className="auth">
      <aside className="auth-side">
        <Brand />
        <h2>A room with a lock, and no spare key.</h2>
        <ul>
          <li>
            <KeyRound className="i" aria-hidden />
            Your keys are made on this device. The server keeps them sealed under your password.
          </li>
          <li>
            <PhoneOff className="i" aria-hidden />
            No phone number. No email needed.
          </li>
          <li>
            <FileKey className="i" aria-hidden />
            You receive a recovery kit. Nobody can reset your password for you, not even we; the kit can.
          </li>
        </ul>
      </aside>
      <div className="auth-form">
        <header className="auth-bar">
          <Brand />
        </header>
        <main ref={mainRef}>{children}</main>
      </div>
    </div>
  )
}
