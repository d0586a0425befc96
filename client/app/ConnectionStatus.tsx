import { Link } from 'wouter'
import { useStore } from 'zustand'
import { CODE_PART } from '../me/buildcheck/buildcheck.ts'
import { type ConnectionState, connectionStore } from '../net/status.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { useEnv } from '../ui/env.tsx'
import { useOnline } from '../ui/useOnline.tsx'

const PAUSES: Partial<Record<NonNullable<ConnectionState['pause']>, string>> = {
  too_many: 'Paused: too many tabs',
  other_version: 'Paused: the server has another version',
  refused_version: 'Stopped: the server’s version is not trusted',
}

/** Shows the state of the connection. "via Tor" appears only if the server reports the onion as this socket's ingress. */
export function ConnectionStatus() {
  const env = useEnv()
  const isOnline = useOnline()
  const { phase, pause, ingress, onionAddress } = useStore(connectionStore)
  if (phase !== 'open')
    return (
      <div className="net">
        <span className="pill wait" role="status">
          {isOnline ? ((pause && PAUSES[pause]) ?? 'Connecting...') : 'You are offline'}
        </span>
        {pause === 'refused_version' && (
          <Link className="linkish" href={CODE_PART}>
            Why
          </Link>
        )}
        {phase === 'waiting' && pause !== 'refused_version' && isOnline && (
          <button
            type="button"
            className="linkish"
            onClick={() => (pause === 'other_version' ? location.reload() : env.socket.reconnect())}
          >
            {pause === 'other_version' ? 'Reload' : 'Reconnect'}
          </button>
        )}
      </div>
    )
  if (ingress === 'onion')
    return (
      <div className="net">
        <span className="pill" role="status">
          Connected via Tor
        </span>
      </div>
    )
  return (
    <div className="net">
      <span className="pill half" role="status">
        <span>
          Connected · <b>not via Tor</b>
        </span>
      </span>
      {onionAddress && <CopyButton text={onionAddress} label="Copy the server’s onion address" />}
    </div>
  )
}
