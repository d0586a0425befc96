import { useEffect, useRef, useState } from 'react'
import { NOT_ENCRYPTED } from '../rooms/preview.ts'
import { OUT_OF_PLACE } from './lines.ts'
import type { ShownMessage } from './store.ts'

interface Props {
  messages: ShownMessage[]
  name: string
  /** True while the window does not reach the newest message: added messages are an older page then, not new ones. */
  isPaused: boolean
}

/**
 * Announces new messages and failures to screen readers. The list itself is silent, because scrolling adds old messages to it.
 */
export function Announcer({ messages, name, isPaused }: Props) {
  const [words, setWords] = useState('')
  const announced = useRef<string>(undefined)
  const newest = messages.at(-1)
  const news = newest && newsOf(newest, name)
  useEffect(() => {
    const isFirst = announced.current === undefined
    if (announced.current === news?.key) return
    announced.current = news?.key ?? ''
    if (!isFirst && !isPaused && news?.words) setWords(news.words)
  }, [news?.key, news?.words, isPaused])
  return (
    <p className="sr" role="status">
      {words}
    </p>
  )
}

function newsOf(message: ShownMessage, name: string): { key: string; words: string } {
  const key = `${message.id} ${message.isMine} ${message.status === 'failed'}`
  if (message.status === 'failed') return { key, words: `Not sent. ${message.reason ?? ''}` }
  const warning = message.isOutOfPlace ? `${OUT_OF_PLACE} ` : ''
  if (message.isMine) return { key, words: warning }
  if (message.body.kind === 'unreadable') return { key, words: `${warning}${name}: a message that cannot be read here` }
  if (message.body.kind === 'notice') return { key, words: message.body.text }
  const mark = message.body.kind === 'plain' ? `${NOT_ENCRYPTED}. ` : ''
  return { key, words: `${warning}${mark}${name}: ${message.body.text}` }
}
