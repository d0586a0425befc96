import { Mark } from '../../ui/Mark.tsx'
import { Qr } from '../../ui/Qr.tsx'
import { KitWords } from './KitWords.tsx'
import { kitCode } from './kit.ts'

export interface KitFacts {
  words: readonly string[]
  username: string
  /** "November 3, 2026" */
  madeOn: string
}

/** The face of a kit. The screen previews exactly what the printer prints. */
export function KitCard({ words, username, madeOn }: KitFacts) {
  return (
    <>
      <header className="kit-facts">
        <div>
          <span className="brand">
            <Mark />
            Recovery kit
          </span>
          <dl>
            <dt>Username</dt>
            <dd className="mono">@{username}</dd>
            <dt>Made</dt>
            <dd>{madeOn}</dd>
            <dt>Where</dt>
            <dd className="mono">{location.host}</dd>
          </dl>
        </div>
        <Qr text={kitCode(words)} label="The 24 words as a code" sizePx={128} />
      </header>
      <KitWords words={words} />
      <p className="small">
        Whoever holds this page can open the account. Keep it where nobody else looks, and away from cameras and copiers.
      </p>
    </>
  )
}
