import { CircleAlert, ScanLine, ShieldAlert, ShieldCheck } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { Note } from '../ui/Note.tsx'
import { Qr } from '../ui/Qr.tsx'
import { Scanner } from '../ui/Scanner.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { showToast } from '../ui/toast.ts'
import { nameOf, type Person } from './people.ts'
import './safety.css'
import {
  type Comparison,
  compareScanned,
  groupsOf,
  markVerified,
  readSafety,
  type Safety,
  type Shared,
  shareMarks,
} from './safety.ts'

interface Props {
  person: Person
  onClose: () => void
}

/** Shows the safety number, by which two people compare their keys [Note: I2]. */
export function SafetyDialog({ person, onClose }: Props) {
  const { safety, failure, retry } = useSafety(person.id)
  return (
    <Dialog
      title={`Safety number with ${nameOf(person)}`}
      // After a comparison the result replaces the explanation, because a phone has no room for both.
      {...(!person.isVerified && { text: howTo(nameOf(person)) })}
      onClose={onClose}
    >
      {safety && <Compare person={person} safety={safety} onClose={onClose} />}
      {!safety && !failure && <Spinner words="Loading the safety number" />}
      {failure && (
        <>
          <Note icon={CircleAlert} tone="danger" role="alert">
            {failure}
          </Note>
          <footer>
            <button type="button" className="btn outline" onClick={retry}>
              Try again
            </button>
          </footer>
        </>
      )}
    </Dialog>
  )
}

const howTo = (name: string) =>
  `Compare with ${name} face to face or on a call: read it aloud or scan. If all digits are the same, nobody stands between you.`

function useSafety(userId: string) {
  const env = useEnv()
  const [safety, setSafety] = useState<Safety>()
  const [failure, setFailure] = useState<string>()
  const load = useCallback(() => {
    setFailure(undefined)
    readSafety(env, userId).then(setSafety, (error) => setFailure(failureWords(error)))
  }, [env, userId])
  useEffect(load, [load])
  return { safety, failure, retry: load }
}

function Compare({ person, safety, onClose }: Props & { safety: Safety }) {
  const env = useEnv()
  const [isScanning, setScanning] = useState(false)
  const [comparison, setComparison] = useState<Comparison>()
  const [shared, setShared] = useState<Shared>('now')
  const { isVerified } = person
  const isDifferent = comparison === 'different'
  const main = useRef<HTMLButtonElement>(null)
  // The scan button has been removed, so focus another element.
  const endScan = () => {
    setScanning(false)
    requestAnimationFrame(() => main.current?.focus())
  }

  async function attempt(compare: () => Promise<Comparison | undefined>) {
    try {
      const result = await compare()
      setComparison(result)
      if (result !== 'not_a_code' && isScanning) endScan()
      if (result === 'same' || result === undefined) setShared(await shareMarks(env))
    } catch (error) {
      if (isScanning) endScan()
      showToast({ tone: 'bad', title: 'The number was not compared', text: failureWords(error) })
    }
  }
  const mark = (isMatch: boolean) =>
    attempt(async () => {
      await markVerified(env, person.id, safety.identityKey, isMatch)
      return isMatch ? 'same' : undefined
    })

  function scan() {
    setComparison(undefined)
    setScanning(true)
  }

  return (
    <>
      <div className="outcome" role="status">
        {isVerified && !isDifferent && <Verified name={nameOf(person)} isNew={comparison === 'same'} shared={shared} />}
      </div>
      {isDifferent && <Different name={nameOf(person)} />}
      {isScanning ? (
        <>
          <Scanner
            instead="compare the digits"
            onCode={(code) => attempt(() => compareScanned(env, person.id, safety, code))}
            onStop={endScan}
          />
          {comparison === 'not_a_code' && (
            <Note icon={CircleAlert} role="alert">
              This is not a safety code.
            </Note>
          )}
        </>
      ) : (
        <>
          {!safety.isNameSigned && (
            <p className="small t2">
              The name @{person.username} is not signed yet: it is what the server showed first. <bdi>{nameOf(person)}</bdi> signs
              it by the next change in Security.
            </p>
          )}
          <Digits digits={safety.digits} />
          <Qr text={safety.code} label="The safety number as a QR code" sizePx={192} />
          <button type="button" className="btn outline wide" onClick={scan}>
            <ScanLine className="i i-16" aria-hidden />
            <span>
              Scan <bdi>{nameOf(person)}</bdi>’s code
            </span>
          </button>
          <footer>
            {isVerified && (
              <button type="button" className="btn outline" onClick={() => mark(false)}>
                Remove the mark
              </button>
            )}
            {/* A single button with a changing label keeps the focus. */}
            <button
              ref={main}
              type="button"
              className="btn primary"
              onClick={isVerified || isDifferent ? onClose : () => mark(true)}
            >
              {isVerified ? 'Done' : isDifferent ? 'Close' : 'They match'}
            </button>
          </footer>
        </>
      )}
    </>
  )
}

/** Shows the digits in groups; a screen reader reads them one by one. */
function Digits({ digits }: { digits: string }) {
  return (
    <ol className="safety-digits mono" aria-label="Safety number, twelve groups of five digits">
      {groupsOf(digits).map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two groups may be equal, and none moves
        <li key={at}>
          <span aria-hidden="true">{group}</span>
          <span className="sr">{[...group].join(' ')}</span>
        </li>
      ))}
    </ol>
  )
}

function Verified({ name, isNew, shared }: { name: string; isNew: boolean; shared: Shared }) {
  return (
    <Note icon={ShieldCheck} tone="ok">
      <strong>{isNew ? 'The numbers are the same.' : 'Verified.'}</strong>{' '}
      {isNew ? 'This key is marked as verified.' : 'You have compared this number.'} If the key of <bdi>{name}</bdi> ever changes,
      you are told and the mark goes.
      {isNew && shared === 'later' && ' Your other browsers learn of the mark when the connection is back.'}
    </Note>
  )
}

function Different({ name }: { name: string }) {
  return (
    <Note icon={ShieldAlert} tone="danger" role="alert">
      <strong>These numbers differ.</strong> Somebody may stand between you. Do not mark as verified. Make sure that{' '}
      <bdi>{name}</bdi> shows the number with you, and not the one with somebody else.
    </Note>
  )
}
