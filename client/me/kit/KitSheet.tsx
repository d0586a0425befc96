import { createPortal } from 'react-dom'
import { KitCard, type KitFacts } from './KitCard.tsx'

/** The sheet that is printed instead of the page. It is never on screen. */
export function KitSheet(facts: KitFacts) {
  return createPortal(
    <div className="kit-sheet">
      <KitCard {...facts} />
      <ol className="kit-how">
        <li>Open {location.origin} and choose Sign In, then “Forgot your password?”.</li>
        <li>Enter the username and the 24 words in their order, or scan the code.</li>
        <li>Look at the devices of the account, choose a new password, and make a new kit: this one works once.</li>
      </ol>
    </div>,
    document.body,
  )
}
