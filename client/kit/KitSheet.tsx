import { createPortal } from 'react-dom'
import { Brand } from '../ui/Mark.tsx'
import { Qr } from '../ui/Qr.tsx'
import { KitWords } from './KitWords.tsx'
import { kitCode } from './kit.ts'

interface Props {
  words: readonly string[]
  username: string
  /** "November 3, 2026" */
  madeOn: string
}

/** The sheet that is printed instead of the page. It is never on screen. */
export function KitSheet({ words, username, madeOn }: Props) {
  return createPortal(
    <div className="kit-sheet">
      <Brand />
      <h1>Recovery kit</h1>
      <div className="kit-facts">
        <dl>
          <dt>Username</dt>
          <dd className="mono">@{username}</dd>
          <dt>Made</dt>
          <dd>{madeOn}</dd>
          <dt>Where</dt>
          <dd className="mono">{location.origin}</dd>
        </dl>
        <Qr text={kitCode(words)} label="The 24 words as a code" sizePx={160} />
      </div>
      <KitWords words={words} />
      <ol className="kit-how">
        <li>Open {location.origin} and choose Sign In, then “Forgot your password?”.</li>
        <li>Enter the username and the 24 words in their order, or scan the code.</li>
        <li>Look at the devices of the account, choose a new password, and make a new kit: this one works once.</li>
      </ol>
      <p>Whoever holds this page can open the account. Keep it where nobody else looks, and away from cameras and copiers.</p>
    </div>,
    document.body,
  )
}
