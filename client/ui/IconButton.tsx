import type { LucideIcon } from 'lucide-react'
import type { MouseEventHandler } from 'react'

interface Props {
  icon: LucideIcon
  label: string
  onClick: MouseEventHandler<HTMLButtonElement>
  isTight?: boolean
  isSmallIcon?: boolean
  className?: string
  isDisabled?: boolean
}

/** The label is the accessible name, and what `Tooltips` shows. */
export function IconButton({
  icon: Icon,
  label,
  onClick,
  isTight = false,
  isSmallIcon = isTight,
  className = '',
  isDisabled,
}: Props) {
  return (
    <button
      type="button"
      className={`icon-btn ${isTight ? 'tight' : ''} ${className}`}
      aria-label={label}
      data-tip=""
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon className={isSmallIcon ? 'i i-16' : 'i'} aria-hidden />
    </button>
  )
}
