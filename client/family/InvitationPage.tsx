import { CircleAlert, UsersRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { familyApi } from '../../contract/family.ts'
import { Empty } from '../ui/Empty.tsx'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { Spinner } from '../ui/Spinner.tsx'
import { showToast } from '../ui/toast.ts'
import './family.css'

/** Asks the signed-in person, who may have just signed up, whether to join a family circle. */
export function InvitationPage({ token, onDone }: { token: string; onDone: () => void }) {
  const env = useEnv()
  const [inviter, setInviter] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const [showsOnline, setShowsOnline] = useState(false)
  const [isPending, setPending] = useState(false)
  useEffect(() => {
    env.api(familyApi.show, { token }).then(
      ({ inviterName }) => setInviter(inviterName),
      (error) => setFailure(failureWords(error)),
    )
  }, [env, token])

  async function answer(run: () => Promise<unknown>, title: string, text: string) {
    setPending(true)
    try {
      await run()
      showToast({ tone: 'good', title, text })
      onDone()
    } catch (error) {
      setFailure(failureWords(error))
    } finally {
      setPending(false)
    }
  }

  if (failure)
    return (
      <main className="centre">
        <Empty icon={CircleAlert} isTitle title="This invitation cannot be accepted" text={failure}>
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
      </Empty>
    </main>
  )
}
