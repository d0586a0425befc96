import { ChevronDown, PinOff } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Pinned } from '../../../contract/chat/kinds/pin.ts'
import { isBlocked, type Room } from '../../rooms/list/room.ts'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { noteFocus } from '../../ui/opener.ts'
import { takePinOff } from './pins.ts'
import './pinbar.css'
import { quoteOf } from './quotes.ts'
import { sendAndReport } from './sendOutcome.ts'
import { showQuoted } from './showQuoted.ts'
import { viewOf } from './store.ts'

interface Props {
  room: Room
  /** The last pinned first. */
  pins: Pinned[]
  onUpgrade: () => void
}

const NOT_HERE = 'Not on this browser, or deleted'

/** The pinned messages of a chat: a press leads to the one that is shown, and shows the next. */
export function PinBar({ room, pins, onUpgrade }: Props) {
  const env = useEnv()
  const [shownKey, setShownKey] = useState<string>()
  const bar = useRef<HTMLElement>(null)
  const words = useWords(room, pins)
  // It goes with the last pin.
  useLayoutEffect(() => {
    const shown = bar.current
    return () => {
      if (shown?.contains(document.activeElement)) requestAnimationFrame(noteFocus())
    }
  }, [])
  const at = Math.max(
    0,
    pins.findIndex((one) => keyOf(one) === shownKey),
  )
  const pin = pins[at]
  if (!pin) return null
  const { senderId, id } = pin
  const said = words.get(keyOf(pin))
  const label = pins.length === 1 ? 'Pinned' : `Pinned ${at + 1} of ${pins.length}`

  function jump() {
    const next = pins[(at + 1) % pins.length]
    setShownKey(next && keyOf(next))
    void showQuoted(env, room, { senderId, id, words: '' })
  }
  return (
    <section className="pins" ref={bar} aria-label="Pinned messages">
      <button type="button" onClick={jump}>
        <span className="pin-marks" aria-hidden>
          {pins.map((one) => (
            <i key={keyOf(one)} className={one === pin ? 'on' : undefined} />
          ))}
        </span>
        <span className="pin-words">
          <b>{label}</b>
          <span dir="auto">{said === null ? <i>{NOT_HERE}</i> : said}</span>
        </span>
        <ChevronDown className="i i-16" aria-hidden />
      </button>
      {!room.isClosed && !isBlocked(room) && (
        <IconButton
          icon={PinOff}
          label="Take off the pin"
          isTight
          onClick={() => void sendAndReport(() => takePinOff(env, room, pin), onUpgrade)}
        />
      )}
    </section>
  )
}

const keyOf = ({ senderId, id }: Pick<Pinned, 'senderId' | 'id'>): string => `${senderId} ${id}`

/** Returns the words by key; null for what is not here. */
function useWords(room: Room, pins: Pinned[]): ReadonlyMap<string, string | null> {
  const env = useEnv()
  const [words, setWords] = useState<ReadonlyMap<string, string | null>>(new Map())
  // An edit changes the words, and makes new pins of the view.
  useEffect(() => {
    let isGone = false
    const read = async ({ senderId, id }: Pinned) => {
      const shown = viewOf(room)?.messages.find((one) => one.senderId === senderId && one.id === id)
      if (shown) return [keyOf({ senderId, id }), quoteOf(shown)?.words ?? null] as const
      const { said } = await env.crypto.quoted({ chatRoomId: room.id, senderId, id })
      return [keyOf({ senderId, id }), said?.words ?? null] as const
    }
    Promise.all(pins.map(read)).then(
      (found) => isGone || setWords(new Map(found)),
      // It may have been locked just now.
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [env, room, pins])
  return words
}
