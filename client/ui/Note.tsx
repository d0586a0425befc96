import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface Props {
  icon: LucideIcon
  tone?: 'plain' | 'acc' | 'ok' | 'danger'
  role?: 'alert' | 'status'
  children: ReactNode
}

export function Note({ icon: Icon, tone = 'plain', role, children }: Props) {
  return (
    <div className={`note ${tone}`} role={role}>
      <Icon className="i i-16" aria-hidden />
      <div>{children}</div>
    </div>
  )
}
