import { Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { hasStore } from './hasStore.ts'
import { Note } from './Note.tsx'

/** How a private window refuses a page its files, in Firefox and in Safari. */
const REFUSALS = ['SecurityError', 'UnknownError']

/** What a private window means here; nothing for another refusal. */
export async function noteOn({ name }: Error): Promise<ReactNode> {
  if (!REFUSALS.includes(name)) return undefined
  const isOfPage = !(await hasStore())
  return (
    <Note icon={Info}>
      <strong>Nothing is kept after this window.</strong> A private window has no store: this browser is a new one each time, and
      its history comes from the server, sealed.
      {isOfPage && ' Here that is so each time the page is loaded, and in one tab alone.'}
    </Note>
  )
}
