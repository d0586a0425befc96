import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import './switch.css'

interface Props {
  icon: LucideIcon
  name: string
  words: string
  isOn: boolean
  isDisabled?: boolean | undefined
  isBusy?: boolean | undefined
  /** True if a dialog asks before it moves. */
  isAsked?: boolean | undefined
  onSwitch: () => unknown
  /** What stands below, once it is on. */
  children?: ReactNode
}

/** A line with a switch, inside `.lines`. */
export function SwitchLine({ icon: Icon, name, words, isOn, isDisabled, isBusy, isAsked, onSwitch, children }: Props) {
  const id = useId()
  return (
    <li>
      <Icon className="i" aria-hidden />
      <div>
        <b id={id}>{name}</b>
        <p id={`${id}-words`}>{words}</p>
      </div>
      <input
        type="checkbox"
        role="switch"
        className="switch"
        aria-labelledby={id}
        aria-describedby={`${id}-words`}
        aria-haspopup={isAsked ? 'dialog' : undefined}
        aria-busy={isBusy}
        checked={isOn}
        aria-checked={isOn}
        disabled={isDisabled}
        onChange={onSwitch}
      />
      {children}
    </li>
  )
}
