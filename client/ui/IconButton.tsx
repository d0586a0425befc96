import type { LucideIcon } from 'lucide-react'
import { Tooltip } from 'radix-ui'
import type { ReactNode } from 'react'

interface Props {
  icon: LucideIcon
  label: string
  onClick: () => void
  isTight?: boolean
  isSmallIcon?: boolean
  className?: string
}

/** Needs a `TooltipProvider` above it. The label is the accessible name too, because touch screens show no tooltips. */
export function IconButton({ icon: Icon, label, onClick, isTight = false, isSmallIcon = isTight, className = '' }: Props) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>
        <button type="button" className={`icon-btn ${isTight ? 'tight' : ''} ${className}`} aria-label={label} onClick={onClick}>
          <Icon className={isSmallIcon ? 'i i-16' : 'i'} aria-hidden />
        </button>
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tip" sideOffset={6} collisionPadding={8} aria-hidden>
          {label}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Tooltip.Provider delayDuration={700} skipDelayDuration={300}>
      {children}
    </Tooltip.Provider>
  )
}
