import { Check } from 'lucide-react'
import { clockTime } from '../../ui/time.ts'
import './checkcircle.css'
import './selection.css'
import type { ShownMessage } from './store.ts'

interface Props {
  message: ShownMessage
  name: string
  isOn: boolean
}

/** A circle in the gutter. The whole line takes the press, and its message the keys. */
export function Pick({ message, name, isOn }: Props) {
  const whose = `${message.isMine ? 'You' : name}, ${clockTime(new Date(message.at))}`
  return (
    // biome-ignore lint/a11y/useSemanticElements: the line of the message is what is pressed
    <span
      className={message.isMine ? 'check-circle pick-of me' : 'check-circle pick-of'}
      role="checkbox"
      tabIndex={-1}
      aria-checked={isOn}
      aria-label={`Select: ${whose}`}
    >
      {isOn && <Check className="i i-14" aria-hidden />}
    </span>
  )
}
