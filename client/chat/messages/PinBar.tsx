import { ChevronDown, PinOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Pinned } from '../../../contract/chat/kinds/pin.ts'
import type { Room } from '../../rooms/list/room.ts'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
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
  const [shownId, setShownId] = useState<string>()
  const words = useWords(room, pins)
  const at = Math.max(
    0,
    pins.findIndex(({ id }) => id === shownId),
  )
  const pin = pins[at]
  if (!pin) return null
  const { senderId, id } = pin
  const said = words.get(id)
  const label = pins.length === 1 ? 'Pinned' : `Pinned ${at + 1} of ${pins.length}`

  function jump() {
    setShownId(pins[(at + 1) % pins.length]?.id)
    void showQuoted(env, room, { senderId, id, words: '' })
  }
  return (
    <section className="pins" aria-label="Pinned messages">
      <button type="button" onClick={jump}>
        <span className="pin-marks" aria-hidden>
          {pins.map((one) => (
            <i key={one.id} className={one === pin ? 'on' : undefined} />
          ))}
        </span>
        <span className="pin-words">
          <b>{label}</b>
          <span dir="auto">{said === null ? <i>{NOT_HERE}</i> : said}</span>
        </span>
        <ChevronDown className="i i-16" aria-hidden />
      </button>
      <IconButton
        icon={PinOff}
        label="Take off the pin"
        isTight
        onClick={() => void sendAndReport(() => takePinOff(env, room, pin), onUpgrade)}
      />
    </section>
  )
}

/** Returns the words by id; null for what is not here. */
function useWords(room: Room, pins: Pinned[]): ReadonlyMap<string, string | null> {
  const env = useEnv()
  const [words, setWords] = useState<ReadonlyMap<string, string | null>>(new Map())
  // An edit changes the words, and makes new pins of the view.
  useEffect(() => {
    let isGone = false
    const read = async ({ senderId, id }: Pinned) => {
      const shown = viewOf(room)?.messages.find((one) => one.senderId === senderId && one.id === id)
      const words = shown && quoteOf(shown)?.words
      if (words !== undefined) return [id, words] as const
      const { said } = await env.crypto.quoted({ chatRoomId: room.id, senderId, id })
      return [id, said?.words ?? null] as const
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
