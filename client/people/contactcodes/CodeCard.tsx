import { CircleAlert, Copy, Download, QrCode, RefreshCw, Shield } from 'lucide-react'
import type { User } from '../../../contract/account/account.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { readsPixels } from '../../ui/readsPixels.ts'
import { Spinner } from '../../ui/Spinner.tsx'
import { showToast } from '../../ui/toast.ts'
import { CodePicture, minutesLeft } from './CodePicture.tsx'
import { downloadPicture } from './downloadCode.ts'
import type { CodeState } from './store.ts'
import { useCode } from './useCode.tsx'
import './contactcodes.css'

const NO_PICTURE = 'This browser does not let a page save what it draws. Copy the token instead.'

/** What the person must know of a code. */
const NOTICES = [
  'Each code is unique to your account.',
  'It expires after 6 minutes.',
  'Anyone who scans it can add you.',
  'Regenerating makes the old one invalid at once.',
]

/** The account's contact code with everything that one can do with it. */
export function CodeCard({ user }: { user: User }) {
  const { code, secondsLeft, status, failure, isGenerating, generate } = useCode(user, { renews: false })
  const isValid = code !== null && secondsLeft > 0
  const renew = () =>
    generate().then(
      () => showToast({ tone: 'good', title: 'QR Code Generated', text: 'Your new contact QR code is ready!' }),
      (error) => showToast({ tone: 'bad', title: 'Error', text: failureWords(error) }),
    )
  return (
    <div className="code-card">
      {code && <Shown user={user} code={code} secondsLeft={secondsLeft} />}
      {!code && failure === null && (status === 'loading' || isGenerating) && <Spinner words="Loading your code" />}
      {failure !== null && (
        <Note icon={CircleAlert} tone="danger" role="alert">
          {failure}
        </Note>
      )}
      <button type="button" className={isValid ? 'btn quiet' : 'btn primary'} disabled={isGenerating} onClick={renew}>
        {code ? <RefreshCw className="i i-16" aria-hidden /> : <QrCode className="i i-16" aria-hidden />}
        {isGenerating ? 'Generating...' : code ? 'Regenerate QR Code' : 'Generate QR Code'}
      </button>
      <ul className="code-notices">
        {NOTICES.map((notice) => (
          <li key={notice}>
            <Shield className="i i-14" aria-hidden />
            {notice}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface ShownProps {
  user: User
  code: NonNullable<CodeState['code']>
  secondsLeft: number
}

function Shown({ user, code, secondsLeft }: ShownProps) {
  const isExpired = secondsLeft === 0
  const used = code.usageCount === 1 ? 'Used by 1 person' : `Used by ${code.usageCount} people`
  async function copy() {
    try {
      await navigator.clipboard.writeText(code.qrToken)
      showToast({ tone: 'good', title: 'Copied!', text: 'QR token copied to clipboard' })
    } catch {
      // The browser has denied access to the clipboard, so the token is shown for copying by hand.
      showToast({ tone: 'plain', title: 'Copy it from here', text: code.qrToken })
    }
  }
  return (
    <>
      <CodePicture content={code.content} isExpired={isExpired} />
      <div className="code-line">
        <span className="mono t2" title={code.qrToken}>
          {code.qrToken.slice(0, LIMITS.qrTokenShownChars)}…
        </span>
        {isExpired ? (
          <span className="failed" role="status">
            QR Code Expired
          </span>
        ) : (
          <span className="num warned" role="timer">
            Expires in {minutesLeft(secondsLeft)}
          </span>
        )}
      </div>
      {code.usageCount > 0 && <p className="small t2">{used}</p>}
      <div className="code-acts">
        <button type="button" className="btn outline" disabled={isExpired} onClick={copy}>
          <Copy className="i i-16" aria-hidden />
          Copy Token
        </button>
        <button
          type="button"
          className="btn outline"
          disabled={isExpired}
          onClick={() => {
            if (!readsPixels()) return showToast({ tone: 'bad', title: 'No picture was saved', text: NO_PICTURE })
            downloadPicture(code, user.username).catch((error) =>
              showToast({ tone: 'bad', title: 'Error', text: failureWords(error) }),
            )
          }}
        >
          <Download className="i i-16" aria-hidden />
          Download
        </button>
      </div>
    </>
  )
}
