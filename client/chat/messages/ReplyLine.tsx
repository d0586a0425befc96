import { X } from 'lucide-react'
import type { Quote } from '../../../contract/chat/content.ts'
import { withoutMarks } from '../../ui/textPieces.ts'
import { useOver } from '../../ui/useOver.tsx'
import { useQuotedName } from './Quoted.tsx'

interface Props {
  quote: Quote
  onCancel: () => void
}

/** What the next message replies to, above the field. Escape takes it away. */
export function ReplyLine({ quote, onCancel }: Props) {
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
