import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface Props {
  icon: LucideIcon
  title: string
  text?: string
  children?: ReactNode
}

/** An empty state: one icon, one bold line, one sentence, one action. */
export function Empty({ icon: Icon, title, text, children }: Props) {
  return (
    <div className="empty">
      <Icon className="i i-24" aria-hidden />
      <b>{title}</b>
      {text && <p>{text}</p>}
      {children}
    </div>
  )
}
