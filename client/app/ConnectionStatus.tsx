import { useState } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import { CODE_PART } from '../me/buildcheck/buildcheck.ts'
import { connectingWords } from '../net/onion.ts'
import { type ConnectionState, connectionStore } from '../net/status.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { useEnv } from '../ui/env.tsx'
import { later } from '../ui/later.tsx'
import { useOnline } from '../ui/useOnline.tsx'

const ConnectionSheet = later(async () => (await import('./ConnectionSheet.tsx')).ConnectionSheet)

const PAUSES: Partial<Record<NonNullable<ConnectionState['pause']>, string>> = {
  too_many: 'Paused: too many tabs',
  asked: 'Paused: the server asks to wait',
  other_version: 'Paused: the server has another version',
  refused_version: 'Stopped: the server’s version is not trusted',
}

/**
 * Shows the state of the connection; a press explains it. "via Tor" appears only if the server reports the onion as this socket's
 * ingress.
 */
export function ConnectionStatus() {
  const env = useEnv()
  const isOnline = useOnline()
  const { phase, pause, ingress, onionAddress } = useStore(connectionStore)
  const [anchor, setAnchor] = useState<HTMLElement>()
  const isDirect = phase === 'open' && ingress !== 'onion'
  const waits = phase === 'waiting' && pause !== 'refused_version' && isOnline
  const waiting = isOnline ? ((pause && PAUSES[pause]) ?? connectingWords()) : `${connectingWords()} · you are offline`
  return (
    <div className="net">
      <span role="status">
        <button
          type="button"
          className="pill-button"
          aria-haspopup="dialog"
          aria-expanded={anchor !== undefined}
          // The sheet gives the focus back to what has it now.
          onMouseDown={(event) => event.preventDefault()}
          onClick={({ currentTarget }) => setAnchor(anchor ? undefined : currentTarget)}
        >
          <span className={`pill ${isDirect ? 'half' : phase === 'open' ? '' : 'wait'}`}>
            {isDirect ? (
              <span>
                Connected · <b>not via Tor</b>
              </span>
            ) : phase === 'open' ? (
              'Connected via Tor'
            ) : (
              waiting
            )}
          </span>
        </button>
      </span>
      {pause === 'refused_version' && (
        <Link className="linkish" href={CODE_PART}>
          Why
        </Link>
      )}
      {waits && (
        <button
          type="button"
          className="linkish"
          onClick={() => (pause === 'other_version' ? location.reload() : env.socket.reconnect())}
        >
          {pause === 'other_version' ? 'Reload' : 'Reconnect'}
        </button>
      )}
      {isDirect && onionAddress && <CopyButton text={onionAddress} label="Copy the server’s onion address" />}
      {anchor && <ConnectionSheet anchor={anchor} onClose={() => setAnchor(undefined)} />}
    </div>
  )
}
