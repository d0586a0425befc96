import { FileKey, KeyRound, PhoneOff } from 'lucide-react'
import { type ReactNode, type Ref, useEffect } from 'react'
import { Brand } from '../../ui/Mark.tsx'

interface Props {
  children: ReactNode
  mainRef?: Ref<HTMLElement>
  /** What the side panel says below its title; by default what the product promises. */
  line?: string
  /** True where nothing that was entered would be lost by going to the landing page. */
  hasHome?: boolean
}

/** The dark side panel, which stays, with the form beside it. */
export function AuthFrame({ children, mainRef, line, hasHome = false }: Props) {
  useEffect(() => {
    // The landing page is another frame of `/`: from there the link changes the hash alone.
    const load = () => location.hash === '#home' && location.reload()
    addEventListener('hashchange', load)
    return () => removeEventListener('hashchange', load)
  }, [])
  return (
    <div className="auth">
      <aside className="auth-side">
        <Brand />
        <h2>A room with a lock, and no spare key.</h2>
        {line ? <p>{line}</p> : <Promises />}
      </aside>
      <div className="auth-form">
        <header className="auth-bar">
          <Brand />
          {hasHome && (
            <a className="linkish" href="/#home">
              Back to Home
            </a>
          )}
        </header>
        <main ref={mainRef}>{children}</main>
      </div>
    </div>
  )
}

function Promises() {
  return (
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
  )
}
