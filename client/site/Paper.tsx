import type { ReactNode } from 'react'
import { Brand } from '../ui/Mark.tsx'
import { Site } from './Site.tsx'

/** A document of docs/, whose HTML the build puts in the place of `children`. */
export function Paper({ children }: { children: ReactNode }) {
  return (
    <Site>
      <div className="wrap">
        <article className="paper">{children}</article>
      </div>
    </Site>
  )
}

/** The frame for an address that is no page. */
export function Nowhere() {
  return (
    <Alone
      title="There is nothing at this address."
      text="It was mistyped, or it led to something that is gone. Nothing of yours is lost by it."
    >
      <a className="btn primary large" href="/">
        Open Conclave
      </a>
    </Alone>
  )
}

/** The frame for a browser in which the product cannot run: client/early.js chooses it and names what is missing. */
export function Lacks() {
  return (
    <Alone
      title={
        <>
          Your browser lacks <span id="lacks">what Conclave needs</span>.
        </>
      }
      text="Conclave encrypts in your browser, and cannot do it here. A current Firefox, Chrome, Edge or Safari has all of it, on a page that came by https. If yours is one, a setting or an extension switches it off for this site."
    >
      <a className="btn outline large" href="/security">
        View Security Details
      </a>
    </Alone>
  )
}

/** One sentence on a page that has nothing else. */
function Alone({ title, text, children }: { title: ReactNode; text: string; children: ReactNode }) {
  return (
    <main className="site">
      <div className="wrap alone">
        <Brand />
        <h1>{title}</h1>
        <p className="lead">{text}</p>
        <div className="go">{children}</div>
      </div>
    </main>
  )
}
