import { Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { hasStore } from './hasStore.ts'
import { Note } from './Note.tsx'

/** How a private window refuses a page its files, in Firefox and in Safari. */
const REFUSALS = ['SecurityError', 'UnknownError']

/** What a private window means here, and what its browser goes without; nothing for another refusal. */
export async function noteOn(goesWithout: string, refusal?: Error): Promise<ReactNode> {
  const isPrivate = refusal !== undefined && REFUSALS.includes(refusal.name)
  const isOfPage = isPrivate && !(await hasStore())
  return (
    <>
      {isPrivate && (
        <Note icon={Info}>
          <strong>Nothing is kept after this window.</strong> A private window has no store: this browser is a new one each time,
          and its history comes from the server, sealed.
          {isOfPage && ' Here that is so each time the page is loaded, and in one tab alone.'}
        </Note>
      )}
      {goesWithout !== '' && (
        <Note icon={Info}>
          <strong>This browser goes without {goesWithout}.</strong> It has what the rest of Conclave needs.
        </Note>
      )}
    </>
  )
}
