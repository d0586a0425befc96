import { Check, CircleAlert } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useRef } from 'react'
import { useStore } from 'zustand'
import { useSeconds } from '../chat/calls/useSeconds.tsx'
import { isOnionOrigin } from '../net/onion.ts'
import { connectionStore } from '../net/status.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { NARROW, useMedia } from '../ui/useMedia.tsx'
import { useOnline } from '../ui/useOnline.tsx'
import { explained } from './connectionWords.ts'
import './connection.css'

/** The page tries by itself for so long before it offers a press. */
const PATIENCE_SECONDS = 6

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
  const seconds = useSeconds(state.since)
  const { title, text, lines, note } = explained(state, isOnline, seconds)
  const opener = useRef(anchor)
  const content = useRef<HTMLDivElement>(null)
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
      {state.phase !== 'open' && isOnline && seconds >= PATIENCE_SECONDS && <Again />}
    </>
  )
  if (isNarrow)
    return (
      <Dialog title={title} text={text} onClose={onClose}>
        <div className="connection">{parts}</div>
      </Dialog>
    )
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popover.Anchor virtualRef={opener} />
      <Popover.Portal container={anchor.closest<HTMLElement>('main, aside')}>
        <Popover.Content
          ref={content}
          className="connection popover"
          aria-label={TITLE}
          align="start"
          sideOffset={8}
          collisionPadding={8}
          tabIndex={-1}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            content.current?.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            // A press elsewhere has taken the focus there.
            if (document.activeElement === document.body) anchor.focus()
          }}
          // The button closes it by itself.
          onPointerDownOutside={(event) => anchor.contains(event.target as Node) && event.preventDefault()}
        >
          <h2>{title}</h2>
          <p className="small t2">{text}</p>
          {parts}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
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
