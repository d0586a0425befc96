import { Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { Note } from './Note.tsx'

/** How a private window refuses a page its files, in Firefox and in Safari. */
const REFUSALS = ['SecurityError', 'UnknownError']

/** Says what a private window means here; nothing for another refusal. */
export function noteOn({ name }: Error): ReactNode {
  if (!REFUSALS.includes(name)) return undefined
  return (
    <Note icon={Info}>
      <strong>Nothing is kept after this window.</strong> A private window has no store: this browser is a new one each time, and
      its history comes from the server, sealed.
    </Note>
  )
}
