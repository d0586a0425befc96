import type { ReactNode } from 'react'
import { Brand } from '../ui/Mark.tsx'

/** The landing, also for who has been here before: client/early.js chooses it by the hash. */
const HOME = '/#home'

/** What every public page has around its own part. */
export function Site({ children }: { children: ReactNode }) {
  return (
    <div className="site">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="wrap nav">
        <a className="home" href={HOME}>
          <Brand />
        </a>
        <nav aria-label="Main">
          <a href="/#passage">How it works</a>
          <a href="/#features">Features</a>
          <a href="/security">Security</a>
        </nav>
        <div className="acts">
          <a className="btn quiet" href="/auth?tab=signin">
            Sign In
          </a>
          <a className="btn outline" href="/auth">
            Get Started
          </a>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer className="foot-site">
        <div className="wrap">
          <div className="in">
            <a className="home" href={HOME}>
              <Brand />
            </a>
            <nav aria-label="More">
              <a href="/security">Security</a>
              <a href="/security/threat-model">Threat model</a>
              <a href="/security/protocol">Protocol</a>
              <a href="/security/verify">Verify</a>
              <a href="/security/notices">Notices</a>
              <a href="/auth?tab=signin">Sign In</a>
            </nav>
          </div>
        </div>
      </footer>
    </div>
  )
}

/** The call at the end of a page, above the footer, on the same ink. */
export function FinalCall({ title, text, href }: { title: string; text: string; href: string }) {
  return (
    <section className="final">
      <div className="wrap">
        <div>
          <h2>{title}</h2>
          <p>{text}</p>
        </div>
        <a className="btn large" href={href}>
          Start Secure Communications
        </a>
      </div>
    </section>
  )
}
