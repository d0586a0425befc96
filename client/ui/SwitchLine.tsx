import type { ReactNode } from 'react'
import '../ui/switch.css'

interface Props {
  id: string
  icon: ReactNode
  name: string
  words: string
  isOn: boolean
  isDisabled?: boolean
  onSwitch: () => unknown
  /** What stands below, once it is on. */
  children?: ReactNode
}

/** A line with a switch. */
export function Choice({ id, icon, name, words, isOn, isDisabled = false, onSwitch, children }: Props) {
  return (
    <li>
      {icon}
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
        checked={isOn}
        aria-checked={isOn}
        disabled={isDisabled}
        onChange={onSwitch}
      />
      {children}
    </li>
  )
}
