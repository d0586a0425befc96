import { useStore } from 'zustand'
import { connectionStore } from '../net/status.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { useEnv } from '../ui/env.tsx'

/** Shows the state of the connection. "via Tor" appears only if the server reports the onion as this socket's ingress. */
export function ConnectionStatus() {
  const env = useEnv()
  const { phase, pause, ingress, onionAddress } = useStore(connectionStore)
  if (phase !== 'open')
    return (
      <div className="net">
        <span className="pill wait" role="status">
          {pause === 'too_many' ? 'Paused: too many tabs' : 'Connecting...'}
        </span>
        {phase === 'waiting' && (
          <button type="button" className="linkish" onClick={() => env.socket.reconnect()}>
            Reconnect
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
      {onionAddress && <CopyButton text={onionAddress} label="Copy the server's onion address" />}
    </div>
  )
}
