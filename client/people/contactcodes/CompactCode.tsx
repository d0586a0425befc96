import { CircleAlert } from 'lucide-react'
import type { User } from '../../../contract/account/account.ts'
import { Note } from '../../ui/Note.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { CodePicture, minutesLeft } from './CodePicture.tsx'
import { UsesHere } from './CodeUses.tsx'
import { useCode } from './useCode.tsx'
import './contactcodes.css'

/** The account's contact code alone. It makes the next one by itself while it is seen. */
export function CompactCode({ user }: { user: User }) {
  const { code, secondsLeft, failure } = useCode(user, { renews: true })
  return (
    <div className="code-card">
      <UsesHere />
      {code ? (
        <>
          <CodePicture content={code.content} isExpired={secondsLeft === 0} />
          <span className={secondsLeft === 0 ? 'num failed' : 'num warned'} role="timer">
            {secondsLeft === 0 ? 'Expired' : minutesLeft(secondsLeft)}
          </span>
        </>
      ) : (
        failure === null && <Spinner words="Loading your code" />
      )}
      {failure !== null && (
        <Note icon={CircleAlert} tone="danger" role="alert">
          {failure}
        </Note>
      )}
    </div>
  )
}
