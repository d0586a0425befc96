import { useEffect, useRef, useState } from 'react'
import { newsOf } from './news.ts'
import type { ShownMessage } from './store.ts'

interface Props {
  messages: ShownMessage[]
  name: string
  /** True while additions to the window are pages and not news. */
  isPaused: boolean
}

/** The duration lets a busy screen reader speak, but no second time. */
const STAYS_MS = 10_000

/** The list itself is silent, because scrolling adds old messages. */
export function Announcer({ messages, name, isPaused }: Props) {
  const [said, setSaid] = useState<{ key: string; words: string }[]>([])
  const before = useRef<ShownMessage[]>(undefined)
  useEffect(() => {
    const news = before.current ? newsOf(before.current, messages, name) : []
    before.current = isPaused ? undefined : messages
    if (news.length === 0 || isPaused) return
    setSaid((now) => [...now, ...news])
    setTimeout(() => setSaid((now) => now.filter((one) => !news.includes(one))), STAYS_MS)
  }, [messages, name, isPaused])
  return (
    <div className="sr" role="status" aria-atomic="false">
      {said.map(({ key, words }) => (
        <p key={key}>{words}</p>
      ))}
    </div>
  )
}
