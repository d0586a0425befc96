import { Smile } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { writeInto } from '../../ui/Completion.tsx'
import { later } from '../../ui/later.tsx'
import type { Point } from '../../ui/Menu.tsx'
import './emojibutton.css'
import { EmojiCompletion } from './EmojiCompletion.tsx'

const EmojiPicker = later(async () => (await import('./EmojiPicker.tsx')).EmojiPicker)

interface Props {
  field: RefObject<HTMLTextAreaElement | null>
  onText: (text: string) => void
}

/** Writes emojis where the caret stands. A phone's keyboard has its own. */
export function EmojiButton({ field, onText }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const [at, setAt] = useState<Point>()

  function open() {
    const { right = 0, top = 0 } = button.current?.getBoundingClientRect() ?? {}
    setAt({ x: right, y: top })
  }
  useEffect(() => {
    const { current } = field
    const press = (event: KeyboardEvent) => {
      if (event.key !== '.' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      open()
    }
    current?.addEventListener('keydown', press)
    return () => current?.removeEventListener('keydown', press)
  })

  function write(emoji: string, place?: { from: number; to: number }) {
    if (field.current) onText(writeInto(field.current, emoji, place))
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className="icon-btn tight emoji-button"
        aria-label="Emoji"
        aria-haspopup="dialog"
        aria-expanded={at !== undefined}
        data-tip="Emoji (Ctrl .)"
        onClick={open}
      >
        <Smile className="i" aria-hidden />
      </button>
      <EmojiCompletion field={field} onWrite={(emoji, begun) => write(`${emoji} `, begun)} />
      {at && (
        <EmojiPicker
          title="Emoji"
          at={at}
          onPick={(emoji) => write(emoji)}
          onClose={() => {
            setAt(undefined)
            field.current?.focus({ preventScroll: true })
          }}
        />
      )}
    </>
  )
}
