import { Check, Copy } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import { connectionStore } from '../../net/status.ts'
import { Brand } from '../../ui/Mark.tsx'
import { useCopy } from '../../ui/useCopy.tsx'
import { KEPT, NO_ADDRESS, STEPS, TITLE, WHY } from './doorWords.ts'
import './door.css'

/** Takes the place of every screen where the server answers by Tor alone. */
export function Door({ hasAccount }: { hasAccount: boolean }) {
  const onionAddress = useStore(connectionStore, (state) => state.onionAddress)
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  return (
    <div className="door">
      <title>Conclave</title>
      <header>
        <a className="home" href="/#home" aria-label="Conclave, the front page">
          <Brand />
        </a>
      </header>
      <main>
        <h1 ref={title} tabIndex={-1}>
          {TITLE}
        </h1>
        <p className="t2">{WHY}</p>
        {onionAddress ? <Address onionAddress={onionAddress} /> : <p className="no-address">{NO_ADDRESS}</p>}
        <ol>
          <li>
            <b>Install Tor Browser</b> from{' '}
            <a href="https://www.torproject.org/download/" target="_blank" rel="noopener noreferrer">
              torproject.org
            </a>
            . Its security level “Safest” runs no scripts, and Conclave needs them.
          </li>
          {STEPS.map(({ act, more }) => (
            <li key={act}>
              <b>{act}</b> {more}
            </li>
          ))}
        </ol>
        {hasAccount && <p className="small t2">{KEPT}</p>}
        <nav aria-label="Open pages">
          <a href="/#home">What Conclave is</a>
          <a href="/security">What it claims, and how you can tell</a>
          <a href="/security/threat-model">The threat model</a>
        </nav>
      </main>
    </div>
  )
}

function Address({ onionAddress }: { onionAddress: string }) {
  const { isCopied, copy } = useCopy(onionAddress)
  return (
    <div className="big-address">
      <p className="mono">{onionAddress}</p>
      <button type="button" className="btn primary" aria-label="Copy the onion address" onClick={copy}>
        {isCopied ? <Check className="i i-16" aria-hidden /> : <Copy className="i i-16" aria-hidden />}
        {isCopied ? 'Copied' : 'Copy'}
      </button>
      <span className="sr" role="status">
        {isCopied && 'Copied'}
      </span>
    </div>
  )
}
