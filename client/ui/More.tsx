import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

/** Details that few need, folded behind their title. */
export function More({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="more">
      <summary>
        <ChevronRight className="i i-14" aria-hidden />
        {title}
      </summary>
      <div className="small t2">{children}</div>
    </details>
  )
}
