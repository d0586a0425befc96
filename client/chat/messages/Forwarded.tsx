import { Forward } from 'lucide-react'
import './forwarded.css'

/** Not from whom. */
export function Forwarded() {
  return (
    <span className="forwarded">
      <Forward className="i i-14" aria-hidden />
      Forwarded
    </span>
  )
}
