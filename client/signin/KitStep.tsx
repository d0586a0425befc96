import type { User } from '../../contract/account.ts'
import { addKit } from '../account/keys.ts'
import { KitPages } from '../kit/KitPages.tsx'
import { useEnv } from '../ui/env.tsx'
import { showToast } from '../ui/toast.ts'
import { AuthFrame } from './AuthFrame.tsx'
import { endSignUp } from './signin.ts'

/** The last step of a sign-up. It makes the recovery kit while the worker still holds the password. */
export function KitStep({ user }: { user: User }) {
  const env = useEnv()

  async function keep() {
    await addKit(env, { kind: 'fresh' })
    showToast({ tone: 'good', title: 'Your recovery kit is made', text: 'Keep it where nobody else looks.' })
    await endSignUp(env)
  }

  return (
    <AuthFrame>
      <KitPages heading="h1" username={user.username} pendingWords="Keeping the kit..." onRight={keep}>
        <Skip onSkip={() => void endSignUp(env)} />
      </KitPages>
    </AuthFrame>
  )
}

function Skip({ onSkip }: { onSkip: () => void }) {
  return (
    <p className="small fine">
      <button type="button" className="linkish" onClick={onSkip}>
        Skip for now
      </button>
      <br />
      Until you make a kit, a forgotten password closes this account to you for good. You can make one later in Settings.
    </p>
  )
}
