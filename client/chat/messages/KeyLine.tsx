import { KeyRound, LockKeyhole } from 'lucide-react'
import { useState } from 'react'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { onionOf } from '../../../contract/people/onion.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import './header.css'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { addressWords } from '../../rooms/trust/trustPill.ts'

/** The onion address is the person's key. */
export function KeyLine({ person }: { person: Person }) {
  const [isWhole, setWhole] = useState(false)
  const onionAddress = onionOf(person.identityKey)
  if (!onionAddress)
    return (
      <p className="via">
        <KeyRound className="i i-14" aria-hidden />
        <span>
          {person.mismatch === 'list_absent' ? (
            <>
              The server shows no onion address of <bdi>{nameOf(person)}</bdi>.
            </>
          ) : (
            <>
              <bdi>{nameOf(person)}</bdi> has no device yet: messages wait on yours.
            </>
          )}
        </span>
      </p>
    )
  return (
    <div className="via">
      <LockKeyhole className="i i-14" aria-hidden />
      <p>
        {addressWords(person.mismatch)}{' '}
        <button
          type="button"
          className="mono address"
          aria-expanded={isWhole}
          title={isWhole ? 'Shorten it' : 'Show it in full'}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? onionAddress : `${onionAddress.slice(0, LIMITS.onionShownChars)}…`}
        </button>
      </p>
      <CopyButton text={onionAddress} label="Copy the onion address" />
    </div>
  )
}
