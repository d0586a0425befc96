import { CircleAlert, UsersRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { User } from '../../../contract/account/account.ts'
import { familyApi } from '../../../contract/account/family.ts'
import { ApiError } from '../../net/api.ts'
import { Empty } from '../../ui/Empty.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Spinner } from '../../ui/Spinner.tsx'
import { showToast } from '../../ui/toast.ts'
import './family.css'

interface Failure {
  words: string
  /** True if the server has refused the invitation; false if it could not be asked, so that asking again may help. */
  isFinal: boolean
}

/** Asks the signed-in person, who may have just signed up, whether to join a family circle. */
export function InvitationPage({ token, user, onDone }: { token: string; user: User; onDone: () => void }) {
  const env = useEnv()
  const [inviter, setInviter] = useState<string>()
  const [failure, setFailure] = useState<Failure>()
  const [asked, setAsked] = useState(0)
  const [showsOnline, setShowsOnline] = useState(false)
  const [isPending, setPending] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more when the person asks for it
  useEffect(() => {
    env.api(familyApi.show, { token }).then(({ inviterName }) => setInviter(inviterName), fail)
  }, [env, token, asked])

  function fail(error: unknown) {
    const isFinal = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429
    setFailure({ words: failureWords(error), isFinal })
  }

  async function answer(run: () => Promise<unknown>, title: string, text: string) {
    setPending(true)
    try {
      await run()
      showToast({ tone: 'good', title, text })
      onDone()
    } catch (error) {
      fail(error)
    } finally {
      setPending(false)
    }
  }

  function askAgain() {
    setFailure(undefined)
    setAsked(asked + 1)
  }

  if (failure)
    return (
      <main className="centre">
        <Empty
          icon={CircleAlert}
          isTitle
          title={failure.isFinal ? 'This invitation cannot be accepted' : 'The invitation could not be loaded'}
          text={failure.words}
        >
          {!failure.isFinal && (
            <button type="button" className="btn primary" onClick={askAgain}>
              Try again
            </button>
          )}
          <button type="button" className="btn outline" onClick={onDone}>
            Go to your chats
          </button>
        </Empty>
      </main>
    )
  if (inviter === undefined) return <Spinner words="Loading the invitation..." isVisible />
  return (
    <main className="centre invitation">
      <Empty
        icon={UsersRound}
        isTitle
        title={`${inviter} invites you to their family circle`}
        text="You have Premium’s rights while their Master plan lasts. They see your name and when you joined, and nothing that you write. You can leave at any time."
      >
        <label className="check">
          <input type="checkbox" checked={showsOnline} onChange={(event) => setShowsOnline(event.target.checked)} />
          They may see when I am online
        </label>
        <div className="acts">
          <button
            type="button"
            className="btn outline"
            disabled={isPending}
            onClick={() =>
              void answer(() => env.api(familyApi.decline, { token }), 'Invitation declined', 'Its link opens nothing any more.')
            }
          >
            Decline
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={isPending}
            onClick={() =>
              void answer(
                () => env.api(familyApi.accept, { token, showsOnline }),
                'Welcome to the family circle',
                'Premium’s rights are yours now.',
              )
            }
          >
            {isPending ? 'Joining...' : 'Join'}
          </button>
        </div>
        <p className="small t2">You join as @{user.username.toLowerCase()}.</p>
      </Empty>
    </main>
  )
}
