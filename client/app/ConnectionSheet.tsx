import { Check, CircleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { isOnionOrigin } from '../net/onion.ts'
import { connectionStore } from '../net/status.ts'
import { Beside, GAP } from '../ui/Beside.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { NARROW, useMedia } from '../ui/useMedia.tsx'
import { useOnline } from '../ui/useOnline.tsx'
import { explained } from './connectionWords.ts'
import './connection.css'

/** The page tries by itself for so long before it offers a press. */
const PATIENCE_MS = 6000

const TITLE = 'How you are connected'

interface Props {
  /** What opened it. */
  anchor: HTMLElement
  onClose: () => void
}

/** How this page is connected: beside its button, or a sheet where the window is narrow. */
export function ConnectionSheet({ anchor, onClose }: Props) {
  const isNarrow = useMedia(NARROW)
  const isOnline = useOnline()
  const state = useStore(connectionStore)
  const { socket } = useEnv()
  const now = useSecondHand()
  const heardAt = socket.heardAt() || performance.timeOrigin
  const { title, text, lines, note } = explained(state, isOnline, heardAt, now)
  const parts = (
    <>
      {lines.length > 0 && (
        <ul className="hops">
          {lines.map(({ what, how, isSafe }) => (
            <li key={what} className={isSafe ? undefined : 'no'}>
              {isSafe ? <Check className="i i-16" aria-hidden /> : <CircleAlert className="i i-16" aria-hidden />}
              <span>{what}</span>
              <span>{how}</span>
            </li>
          ))}
        </ul>
      )}
      {note && <p className="small t2">{note}</p>}
      {state.ingress === 'direct' && !isOnionOrigin() && state.onionAddress && (
        <div className="onion-address">
          <span className="mono cut" title={state.onionAddress}>
            {state.onionAddress}
          </span>
          <CopyButton text={state.onionAddress} label="Copy the onion address" />
        </div>
      )}
      {state.phase !== 'open' && isOnline && now - heardAt >= PATIENCE_MS && <Again />}
    </>
  )
  if (isNarrow)
    return (
      <Dialog title={title} text={text} onClose={onClose}>
        <div className="connection">{parts}</div>
      </Dialog>
    )
  return (
    <Beside label={TITLE} className="connection" anchor={anchor} place={placeAt(anchor)} onClose={onClose}>
      <h2>{title}</h2>
      <p className="small t2">{text}</p>
      {parts}
    </Beside>
  )
}

/** Below its button, or above where that is too low. */
const placeAt = (anchor: HTMLElement) => (size: { height: number }) => {
  const { left, bottom, top } = anchor.getBoundingClientRect()
  const fits = bottom + GAP + size.height <= innerHeight
  return { left, top: fits ? bottom + GAP : top - GAP - size.height }
}

/** ms since 1970, anew each second. */
function useSecondHand(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}

function Again() {
  const { socket } = useEnv()
  const pause = useStore(connectionStore, (state) => state.pause)
  if (pause === 'refused_version') return null
  const isOther = pause === 'other_version'
  return (
    <button type="button" className="btn outline" onClick={() => (isOther ? location.reload() : socket.reconnect())}>
      {isOther ? 'Reload' : 'Try again now'}
    </button>
  )
}
