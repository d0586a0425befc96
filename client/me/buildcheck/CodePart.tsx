import { FileCheck2, PenLine, ShieldAlert } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { VERSION_ADDRESS } from '../../../contract/site/addresses.ts'
import { codeWords } from '../../net/codewords.ts'
import { askForNewest, type Offered } from '../../net/offered.ts'
import { type RunningCode, runningCode } from '../../net/runningCode.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { failureWords } from '../../ui/failure.ts'
import { More } from '../../ui/More.tsx'
import { Note } from '../../ui/Note.tsx'
import { NotRead } from '../../ui/NotRead.tsx'
import { refusedWords } from './buildcheck.ts'
import './buildcheck.css'

/** Which code this page runs, who has signed it, and what of the server's was refused. */
export function CodePart() {
  const [running, setRunning] = useState<RunningCode | null>()
  const [offered, setOffered] = useState<Offered>()
  const [failure, setFailure] = useState<string | null>(null)
  const reload = useCallback(
    () =>
      void Promise.all([runningCode(), askForNewest()]).then(
        ([code, look]) => {
          setFailure(null)
          setRunning(code ?? null)
          setOffered(look)
        },
        (error: unknown) => setFailure(failureWords(error)),
      ),
    [],
  )
  useEffect(reload, [reload])
  const refused = refusedWords(offered)

  if (running === undefined || failure !== null)
    return <NotRead words="What this page runs could not be read." failure={failure} onRetry={reload} />
  return (
    <div className="stack tight">
      {refused && (
        <Note icon={ShieldAlert} tone="danger" role="alert">
          <strong>{refused.title}.</strong> {refused.text}{' '}
          <a className="linkish" href={VERSION_ADDRESS}>
            What you can do
          </a>
        </Note>
      )}
      {running ? <Lines {...running} /> : <Unknown />}
      <More title="How to check it">
        <p>
          Say the eight words of the build to somebody else on this server, on the phone or face to face. If theirs are the same,
          both of you run the same code.
        </p>
        <p>
          Whoever has the source code can build it and compare: <code>npm run verify -- {location.origin}</code>
        </p>
        <p>
          The first load of a page trusts the server, and code that lies could show any words here. Only what looks from outside
          is beyond that: another computer, or the extension WEBCAT where the operator has set it up.
        </p>
      </More>
    </div>
  )
}

const NEXT = 'From the next start on this browser checks it.'
const NO_CHECK = 'This browser does not check it: it has no service worker here, as in a private window or in Tor Browser.'

const canCheck = (): boolean => Boolean(globalThis.navigator?.serviceWorker)

function Lines({ version, hash, signedBy, isKept }: RunningCode) {
  return (
    <ul className="lines">
      <li>
        <FileCheck2 className="i" aria-hidden />
        <div>
          <b>Version {version}</b>
          <p>
            Its build: <span className="code-words">{codeWords(hash)}</span>
          </p>
        </div>
        <div className="acts">
          <CopyButton text={hash} label="Copy the build’s hash" />
        </div>
      </li>
      <li>
        <PenLine className="i" aria-hidden />
        <div>
          <b>{signedBy === null ? 'Not signed' : 'Signed by the operator'}</b>
          {signedBy === null ? (
            <p>The operator of this server does not sign its versions, so this browser takes what the server hands out.</p>
          ) : (
            <p>
              The key: <span className="code-words">{codeWords(signedBy)}</span>.{' '}
              {isKept ? 'This browser starts nothing that it has not signed.' : canCheck() ? NEXT : NO_CHECK}
            </p>
          )}
        </div>
        {signedBy !== null && (
          <div className="acts">
            <CopyButton text={signedBy} label="Copy the operator’s key" />
          </div>
        )}
      </li>
    </ul>
  )
}

const Unknown = () => (
  <p className="small t2">
    The server has another version by now than the one on this page, or cannot be reached. Load the page anew to see what it runs.
  </p>
)
