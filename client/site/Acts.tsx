import { ShieldCheck } from 'lucide-react'
import { Avatar } from '../ui/Avatar.tsx'

const DIGITS = '38201 95517 04462 71930 66128 20849 13377 58094 42716 90355 07183 64920'.split(' ')
const WORDS = ['garden', 'ocean', 'orchard', 'river', 'violin', 'winter']

/** What people do here that is theirs to do, each with its thing. The samples are nobody's. */
export const Acts = () => (
  <div className="wrap acts3">
    <article>
      <div className="thing" aria-hidden>
        <p className="numbers">
          {DIGITS.map((digits) => (
            <span key={digits}>{digits}</span>
          ))}
        </p>
        <p className="sealed">
          <ShieldCheck className="i i-14" />
          <b>Encrypted</b> · Verified
        </p>
      </div>
      <h2>Verify once</h2>
      <p>Read one number to each other. From then on a swapped key cannot go unnoticed.</p>
    </article>
    <article>
      <div className="thing" aria-hidden>
        <Avatar id="eleanor" name="Eleanor Whitcombe" size={60} />
        <p className="locked">Locked</p>
        <p className="under">@eleanor_whitcombe · 4 messages wait</p>
      </div>
      <h2>Lock it</h2>
      <p>The page shuts its keys and forgets what it showed. A chat can have a password of its own.</p>
    </article>
    <article>
      <div className="thing" aria-hidden>
        <ol className="sheet">
          {WORDS.map((word) => (
            <li key={word}>{word}</li>
          ))}
        </ol>
        <p className="under">The first 6 of 24 words, on paper</p>
      </div>
      <h2>Come back</h2>
      <p>On a new browser your password or your kit opens your history, as you have chosen. The server reads none of it.</p>
    </article>
  </div>
)
