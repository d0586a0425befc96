import { ArrowDown } from 'lucide-react'

/** Shows a circle beside the column, or a bar in a narrow window. */
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
