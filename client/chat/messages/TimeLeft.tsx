import { Timer } from 'lucide-react'
import { leftWords } from '../../../contract/chat/lifetimewords.ts'
import { useNow } from '../../ui/env.tsx'
import type { ShownMessage } from './store.ts'

/** What is left of a message's lifetime; before it runs, the whole. */
export function TimeLeft({ seconds, endsMs }: NonNullable<ShownMessage['lifetime']>) {
  const isSoon = endsMs !== undefined && endsMs - Date.now() < 2 * 60_000
  const now = useNow(isSoon ? 1000 : 20_000)
  return (
    <span className="left">
      <Timer className="i i-14" />
      {leftWords(endsMs === undefined ? seconds * 1000 : endsMs - now.getTime())}
    </span>
  )
}
