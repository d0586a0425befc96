import { Check, CircleAlert } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { isOnionOrigin } from '../net/onion.ts'
import { connectionStore } from '../net/status.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { useLatest } from '../ui/useLatest.tsx'
import { NARROW, useMedia } from '../ui/useMedia.tsx'
import { useOnline } from '../ui/useOnline.tsx'
import { useOver } from '../ui/useOver.tsx'
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
    <Beside anchor={anchor} onClose={onClose}>
      <h2>{title}</h2>
      <p className="small t2">{text}</p>
      {parts}
    </Beside>
  )
}

interface BesideProps extends Props {
  children: ReactNode
}

/** px between the button and what opens below it, and around that. */
const GAP = 8

/** Stands below its button, and above what it covers. A press elsewhere, Escape and Tab beyond its ends close it. */
function Beside({ anchor, onClose, children }: BesideProps) {
  const sheet = useRef<HTMLDivElement>(null)
  const latest = useLatest(onClose)
  const giveBack = useOver(onClose)
  useLayoutEffect(() => {
    const { current } = sheet
    if (!current) return
    const { left, bottom, top } = anchor.getBoundingClientRect()
    const { offsetWidth, offsetHeight } = current
    const fits = bottom + GAP + offsetHeight <= innerHeight
    current.style.left = `${Math.max(GAP, Math.min(left, innerWidth - offsetWidth - GAP))}px`
    current.style.top = `${Math.max(GAP, fits ? bottom + GAP : top - GAP - offsetHeight)}px`
  })
  useEffect(() => {
    sheet.current?.focus({ preventScroll: true })
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !sheet.current?.contains(target) && !anchor.contains(target)) latest.current()
    }
    const close = () => latest.current()
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    addEventListener('resize', close)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
      removeEventListener('resize', close)
      const isLost = () => document.activeElement === document.body
      if (isLost()) giveBack()
      if (isLost()) anchor.focus()
    }
  }, [anchor, latest, giveBack])

  function press(event: KeyboardEvent) {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    // The chat behind would close too.
    event.stopPropagation()
    onClose()
  }

  return (
    <div ref={sheet} className="connection popover" role="dialog" aria-label={TITLE} tabIndex={-1} onKeyDown={press}>
      {children}
    </div>
  )
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
