import { X } from 'lucide-react'
import { useEffect } from 'react'
import { useStore } from 'zustand'
import type { Quote } from '../../../contract/chat/content.ts'
import { useEnv } from '../../ui/env.tsx'
import { withoutMarks } from '../../ui/textPieces.ts'
import { useOver } from '../../ui/useOver.tsx'
import { useQuotedName } from './Quoted.tsx'
import { chooseReply } from './replies.ts'
import { messagesStore } from './store.ts'

interface Props {
  chatRoomId: string
  quote: Quote
  onCancel: () => void
}

/** What the next message replies to, above the field. Escape takes it away, and so does its deletion for everyone. */
export function ReplyLine({ chatRoomId, quote, onCancel }: Props) {
  const env = useEnv()
  const isGone = useStore(messagesStore, ({ open }) =>
    open?.messages.some(({ id, senderId, body }) => body.kind === 'deleted' && id === quote.id && senderId === quote.senderId),
  )
  useEffect(() => {
    if (isGone) void chooseReply(env, chatRoomId, null)
  }, [env, chatRoomId, isGone])
  const name = useQuotedName(quote)
  useOver(onCancel, 'reply')
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a group of a form's fields
    <div className="replying" role="group" aria-label={`Reply to ${name}`}>
      <span className="quoted">
        <b>
          <bdi>{name}</bdi>
        </b>
        <span dir="auto">{withoutMarks(quote.words)}</span>
      </span>
      <button type="button" className="icon-btn tight" aria-label="Cancel reply" data-tip="" onClick={onCancel}>
        <X className="i i-16" aria-hidden />
      </button>
    </div>
  )
}
