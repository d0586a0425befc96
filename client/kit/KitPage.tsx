import { FileKey, Printer } from 'lucide-react'
import type { ReactNode } from 'react'
import { Note } from '../ui/Note.tsx'
import { Qr } from '../ui/Qr.tsx'
import { KitSheet } from './KitSheet.tsx'
import { KitWords } from './KitWords.tsx'
import { kitCode } from './kit.ts'

interface Props {
  words: readonly string[]
  username: string
  madeOn: string
  onWritten: () => void
  /** The button to continue without a kit, with its warning. */
  children: ReactNode
}

/** Shows the kit to write down or print. It has no copy button, because other programs can read the clipboard. */
export function KitPage({ words, username, madeOn, onWritten, children }: Props) {
  return (
    <>
      <p className="t2">
        These 24 words open your account on a new browser, and set a new password when the old one is forgotten. Write them down
        in this order, or print them.
      </p>
      <Note icon={FileKey} tone="acc">
        <strong>Without your password, this kit, a passkey or a signed-in browser, nobody can open this account again,</strong>{' '}
        not even we.
      </Note>
      <KitWords words={words} />
      <div className="kit-facts">
        <Qr text={kitCode(words)} label="The 24 words as a code" sizePx={160} />
        <dl>
          <dt>Username</dt>
          <dd className="mono">@{username}</dd>
          <dt>Made</dt>
          <dd>{madeOn}</dd>
        </dl>
      </div>
      <p className="small t2">
        Whoever has the words or the code can open your account. Keep them on paper where nobody else looks. Some printers keep
        what they print; a pen does not.
      </p>
      <KitSheet words={words} username={username} madeOn={madeOn} />
      <div className="step-actions">
        <button type="button" className="btn primary large" onClick={onWritten}>
          I have written it down
        </button>
        <button type="button" className="btn outline large" onClick={() => window.print()}>
          <Printer className="i i-16" aria-hidden />
          Print
        </button>
      </div>
      {children}
    </>
  )
}
