import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import './notices.css'

interface Props {
  icon: LucideIcon
  /** `warn` asks about the account’s safety. */
  tone?: 'warn' | 'danger' | undefined
  title: ReactNode
  text: ReactNode
  /** Its buttons. */
  children: ReactNode
}

/** One line of the sheet of notices: what it is, and what can be done about it. */
export function Notice({ icon: Icon, tone, title, text, children }: Props) {
  return (
    <li className={tone}>
      <Icon className="i" aria-hidden />
      <div>
        <div className="says">
          <b>{title}</b>
          <p>{text}</p>
        </div>
        <div className="acts">{children}</div>
      </div>
    </li>
  )
}
