import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface Props {
  icon: LucideIcon
  title: string
  text?: string
  /** True if nothing else is the title of the page: a failure that has taken the screen's place, which is announced. */
  isTitle?: boolean
  children?: ReactNode
}

/** An empty state: one icon, one bold line, one sentence, one action. */
export function Empty({ icon: Icon, title, text, isTitle = false, children }: Props) {
  const Title = isTitle ? 'h1' : 'b'
  return (
    <div className="empty" role={isTitle ? 'alert' : undefined}>
      <Icon className="i i-24" aria-hidden />
      <Title>{title}</Title>
      {text && <p>{text}</p>}
      {children}
    </div>
  )
}
