import { Printer, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Note } from '../../ui/Note.tsx'
import { KitCard, type KitFacts } from './KitCard.tsx'
import { KitSheet } from './KitSheet.tsx'

interface Props extends KitFacts {
  /** True if an earlier kit was shown here and its words were never checked. */
  hasUnchecked: boolean
  onWritten: () => void
  /** The button to continue without a kit. */
  children: ReactNode
}

/** Shows the kit to write down or print. It has no copy button, because other programs can read the clipboard. */
export function KitPage({ hasUnchecked, onWritten, children, ...facts }: Props) {
  return (
    <>
      {hasUnchecked && (
        <Note icon={TriangleAlert}>
          <strong>The kit that you were shown before was never checked, so it does not count.</strong> Throw that page away: this
          one is new.
        </Note>
      )}
      <p className="t2">
        These 24 words open your account on a new browser, and set a new password when the old one is forgotten. Write them down
        in this order, or print them.
      </p>
      <article className="kit-card" aria-label="The sheet that is printed">
        <KitCard {...facts} />
      </article>
      <KitSheet {...facts} />
      <p className="small t2">
        Without your password, this kit, a passkey or a signed-in browser, nobody can open this account again, not even we. Some
        printers keep what they print; a pen does not.
      </p>
      <div className="kit-bar">
        <button type="button" className="btn outline" onClick={() => window.print()}>
          <Printer className="i i-16" aria-hidden />
          Print
        </button>
        {children}
        <button type="button" className="btn primary" onClick={onWritten}>
          I have written it down
        </button>
      </div>
    </>
  )
}
