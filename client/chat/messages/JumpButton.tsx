import { ArrowDown } from 'lucide-react'

/** Leads to the newest message, and says how many are unread: a circle beside the column, or a bar where there is no room for one. */
export function JumpButton({ count, onJump }: { count: number; onJump: () => void }) {
  return (
    <button type="button" className="jump" onClick={onJump}>
      <span className="words">Jump to the newest message{count > 0 && `, ${count} new`}</span>
      {count > 0 && (
        <span className="count" aria-hidden>
          {count > 99 ? '99+' : count}
        </span>
      )}
      <ArrowDown className="i" aria-hidden />
    </button>
  )
}
