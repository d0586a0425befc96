import type { User } from '../../../contract/account/account.ts'
import { useEnv } from '../../ui/env.tsx'
import { addKit } from '../account/keys.ts'
import { KitPages } from '../kit/KitPages.tsx'
import { dropKitShown } from '../kit/uncheckedKit.ts'
import { AuthFrame } from './AuthFrame.tsx'
import { endSignUp } from './signin.ts'

/** The last step of a sign-up. It makes the recovery kit while the worker still holds the password. */
export function KitStep({ user }: { user: User }) {
  const env = useEnv()

  async function keep() {
    await addKit(env, { kind: 'fresh' })
    dropKitShown()
    // The seal needs nothing of it any more.
    await env.crypto.forgetPassword()
  }

  const leave = () => void endSignUp(env)
  return (
    <AuthFrame line="Except this one. It exists on paper, and nowhere else.">
      <KitPages
        heading="h1"
        username={user.username}
        part="Step 2 of 2"
        pendingWords="Keeping the kit..."
        onRight={keep}
        onDone={leave}
      >
        <button type="button" className="btn quiet" onClick={leave}>
          Skip for now
        </button>
      </KitPages>
    </AuthFrame>
  )
}
