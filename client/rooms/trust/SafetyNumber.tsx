import { CircleAlert, QrCode, ScanLine, ShieldAlert } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useEnv, useNow } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { Qr } from '../../ui/Qr.tsx'
import { Scanner } from '../../ui/Scanner.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { clockTime, dayHeading } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import { Devices } from './Devices.tsx'
import { nameOf, type Person } from './people.ts'
import './safety.css'
import { compareScanned, groupsOf, markDifferent, markVerified, readSafety, type Safety, shareMarks } from './safety.ts'

interface Props {
  person: Person
  onFreed: () => void
}

/** [Note: I2] */
export function SafetyNumber({ person, onFreed }: Props) {
  const env = useEnv()
  const [safety, setSafety] = useState<Safety>()
  const [failure, setFailure] = useState<string>()
  const { id, isVerified, mismatch } = person
  const load = useCallback(() => {
    setFailure(undefined)
    readSafety(env, id).then(setSafety, (error) => setFailure(failureWords(error)))
  }, [env, id])
  // A decision, here or in another browser, changes what it says.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the line above says
  useEffect(load, [load, isVerified, mismatch])
  if (failure)
    return (
      <>
        <Note icon={CircleAlert} tone="danger" role="alert">
          {failure}
        </Note>
        <button type="button" className="btn outline" onClick={load}>
          Try again
        </button>
      </>
    )
  if (!safety) return <Spinner words="Loading the safety number" />
  return (
    <>
      <Digits digits={safety.digits} />
      {!safety.isNameSigned && (
        <p className="small t2">
          The name @{person.username} is not signed yet: it is what the server showed first. <bdi>{nameOf(person)}</bdi> signs it
          by the next change in Security.
        </p>
      )}
      <Compare person={person} safety={safety} onFreed={onFreed} />
      <Devices name={nameOf(person)} ids={safety.deviceIds} />
    </>
  )
}

type Found = 'same' | 'different' | 'none'
type Shown = 'nothing' | 'question' | 'scanner' | 'code'

function Compare({ person, safety, onFreed }: Props & { safety: Safety }) {
  const env = useEnv()
  const [shown, setShown] = useState<Shown>('nothing')
  const [scanned, setScanned] = useState<'different' | 'not_a_code'>()
  const [isLate, setLate] = useState(false)
  const result = useRef<HTMLDivElement>(null)
  const name = nameOf(person)
  const isDecided = safety.differs || safety.isVerified

  async function attempt(work: () => Promise<void>) {
    try {
      await work()
    } catch (error) {
      setShown('nothing')
      showToast({ tone: 'bad', title: 'The number was not compared', text: failureWords(error) })
    }
  }

  const keep = (found: Found) =>
    attempt(async () => {
      setScanned(undefined)
      if (found === 'different') await markDifferent(env, person.id, safety.identityKey)
      else await markVerified(env, person.id, safety.identityKey, found === 'same')
      await tell()
    })

  const scan = (code: string) =>
    attempt(async () => {
      const found = await compareScanned(env, person.id, safety, code)
      if (found === 'different') setShown('question')
      if (found !== 'same') return setScanned(found)
      setScanned(undefined)
      await tell()
    })

  /** The focused buttons are gone, so the result takes the focus. */
  async function tell() {
    setShown('nothing')
    result.current?.focus()
    setLate((await shareMarks(env)) === 'later')
    onFreed()
  }

  return (
    <>
      <div className="compared" ref={result} tabIndex={-1} role="status">
        {isDecided && <Result name={name} safety={safety} isLate={isLate} />}
      </div>
      {scanned === 'different' && (
        <Note icon={ShieldAlert} tone="danger" role="alert">
          <strong>These numbers differ.</strong> Make sure that <bdi>{name}</bdi> shows the number with you, and not the one with
          somebody else. If they still differ, say so below.
        </Note>
      )}
      {scanned === 'not_a_code' && (
        <Note icon={CircleAlert} role="alert">
          This is not a safety code.
        </Note>
      )}
      {isDecided && shown === 'nothing' ? (
        <div className="pair-row">
          <button type="button" className="btn outline" onClick={() => setShown('question')}>
            Compare again
          </button>
          {safety.isVerified && (
            <button type="button" className="btn quiet" onClick={() => keep('none')}>
              Take it back
            </button>
          )}
        </div>
      ) : shown === 'scanner' ? (
        <Scanner instead="compare the digits" onCode={scan} onStop={() => setShown('question')} />
      ) : (
        <>
          <p className="small t2">Read it aloud on a call, or scan each other’s code. All the same: nobody stands between you.</p>
          <div className="pair">
            <button type="button" className="btn outline" onClick={() => keep('different')}>
              They differ
            </button>
            <button type="button" className="btn primary" onClick={() => keep('same')}>
              They match
            </button>
          </div>
          <div className="pair-row">
            <button type="button" className="btn quiet" onClick={() => setShown('scanner')}>
              <ScanLine className="i i-16" aria-hidden />
              <span>
                Scan <bdi>{name}</bdi>’s code
              </span>
            </button>
            <button
              type="button"
              className="btn quiet"
              aria-expanded={shown === 'code'}
              onClick={() => setShown(shown === 'code' ? 'question' : 'code')}
            >
              <QrCode className="i i-16" aria-hidden />
              Show mine
            </button>
          </div>
          {shown === 'code' && <Qr text={safety.code} label="The safety number as a QR code" sizePx={192} />}
        </>
      )}
    </>
  )
}

function Result({ name, safety, isLate }: { name: string; safety: Safety; isLate: boolean }) {
  const now = useNow(60_000)
  const at = safety.comparedAt ? new Date(safety.comparedAt) : null
  const when = at ? `${dayHeading(at, now)}, ${clockTime(at)}` : ''
  const others = isLate ? ' Your other browsers learn of it when the connection is back.' : ''
  if (!safety.differs)
    return (
      <p className="small t2">
        {at
          ? `${safety.isByCode ? 'Verified by a contact code' : 'Compared'} ${inSentence(when)}.`
          : 'You have compared this number.'}{' '}
        You are told if it ever changes.{others}
      </p>
    )
  return (
    <>
      <Note icon={ShieldAlert} tone="danger">
        <strong>You said that they differ{at && `, ${inSentence(when)}`}.</strong> Nothing is sent to <bdi>{name}</bdi> from any
        browser of yours.{others}
      </Note>
      <ol className="how">
        <li>
          <b>Compare once more</b>, digit by digit, on a call or side by side.
        </li>
        <li>
          <b>Still different?</b> Meet, and scan each other’s code: it shows whose key is whose.
        </li>
        <li>
          <b>Until then</b> reach <bdi>{name}</bdi> another way, and say nothing here that must stay between you.
        </li>
      </ol>
    </>
  )
}

const inSentence = (when: string) => when.replace(/^(Today|Yesterday)/, (word) => word.toLowerCase())

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
