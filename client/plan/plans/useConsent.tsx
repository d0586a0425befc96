import { type ReactNode, useState } from 'react'
import type { Consent, Terms } from '../../../contract/money/terms.ts'
import { TERMS_WORDS, versionWords } from './termsWords.ts'
import './consent.css'

interface Agreed {
  /** Undefined while something is not agreed to, and without terms. */
  consent: Consent | undefined
  isMissing: boolean
  boxes: ReactNode
}

/** The boxes of the operator's terms. What was ticked counts for the version that was shown. */
export function useConsent(terms: Terms | undefined): Agreed {
  const [ticked, setTicked] = useState({ version: '', terms: false, withdrawal: false })
  if (!terms) return { consent: undefined, isMissing: false, boxes: null }
  const { url, version, asksWithdrawal } = terms
  const now = ticked.version === version ? ticked : { version, terms: false, withdrawal: false }
  const isMissing = !now.terms || (asksWithdrawal && !now.withdrawal)
  const boxes = (
    <div className="consents">
      <label className="consent">
        <input type="checkbox" checked={now.terms} onChange={({ target }) => setTicked({ ...now, terms: target.checked })} />
        <span>
          {TERMS_WORDS.agree}
          <a href={url} target="_blank" rel="noopener noreferrer">
            {TERMS_WORDS.link}
            <span className="sr">{TERMS_WORDS.newTab}</span>
          </a>
          {versionWords(version)}
        </span>
      </label>
      {asksWithdrawal && (
        <label className="consent">
          <input
            type="checkbox"
            checked={now.withdrawal}
            onChange={({ target }) => setTicked({ ...now, withdrawal: target.checked })}
          />
          <span>{TERMS_WORDS.withdrawal}</span>
        </label>
      )}
    </div>
  )
  return { consent: isMissing ? undefined : { termsVersion: version, withdrawal: now.withdrawal }, isMissing, boxes }
}
