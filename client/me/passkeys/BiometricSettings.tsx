import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import type { User } from '../../../contract/account/account.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { showToast } from '../../ui/toast.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { type Opener, openKeys } from '../account/keys.ts'
import { setBiometric } from '../account/passkeyFactors.ts'
import { passkeysWork } from '../account/passkeysWork.ts'
import { useWays } from '../account/useWays.tsx'
import { WayDialog } from '../security/WayDialog.tsx'
import { WaysUnknown } from '../security/WaysUnknown.tsx'
import { MakePasskey } from './MakePasskey.tsx'

/** The time for which switching on shows at least, so that nobody wonders whether it took place. */
const SHOWN_MS = 2000

/** Sets whether a sign-in by password also asks for a passkey [Note: K1]. Where this address has none, it is made first. */
export function BiometricSettings({ user: { biometricEnabled: isOn } }: { user: User }) {
  const env = useEnv()
  const { ways, factors, failure, reload } = useWays()
  const [doing, setDoing] = useState<'nothing' | 'asking' | 'making'>('nothing')

  if (!ways || !factors) return <WaysUnknown failure={failure} onRetry={reload} />
  const isNew = !factors.some(({ host }) => host === location.hostname)
  const hasWayBack = ways.kit !== null || factors.length + Number(isNew) >= 2

  function press() {
    if (isOn || passkeysWork()) setDoing('asking')
    else setupFailed()
  }

  async function switchOver(opener: Opener) {
    // What was typed is judged here, at its field.
    await openKeys(env, opener)
    if (!isOn && isNew) return setDoing('making')
    try {
      if (!isOn) await new Promise((resolve) => setTimeout(resolve, SHOWN_MS))
      await change(!isOn)
    } finally {
      if (opener.kind !== 'fresh') await env.crypto.forgetPassword()
    }
  }

  async function made() {
    await reload()
    await change(true)
  }

  async function change(toOn: boolean) {
    try {
      await setBiometric(env, { kind: 'fresh' }, toOn)
    } catch (error) {
      showToast({ tone: 'bad', title: 'Failed to update biometric settings', text: failureWords(error) })
    }
    setDoing('nothing')
  }

  return (
    <div className="stack">
      <ul className="lines">
        <SwitchLine
          icon={Fingerprint}
          name="Biometric sign-in"
          words={
            hasWayBack || isOn
              ? 'After your password, the sign-in asks for one of your passkeys: a fingerprint, your face or a hardware key.'
              : 'Make a recovery kit first, or a second passkey: whoever loses the only one could not come back.'
          }
          isOn={isOn}
          isDisabled={(!hasWayBack && !isOn) || doing === 'making'}
          isAsked
          onSwitch={press}
        />
      </ul>
      {doing === 'making' && (
        <MakePasskey
          shownMs={SHOWN_MS}
          onMade={made}
          onFailed={(error) => error instanceof CryptoFailure && error.code === 'passkey' && setupFailed()}
          onCancel={() => setDoing('nothing')}
        />
      )}
      {doing === 'asking' && <WayDialog {...(isOn ? OFF : ON)} onOpen={switchOver} onClose={() => setDoing('nothing')} />}
    </div>
  )
}

function setupFailed(): void {
  showToast({
    tone: 'bad',
    title: 'Biometric Setup Failed',
    text: "Your device doesn't support biometric authentication or it's not set up.",
  })
}

const ON = {
  title: 'Ask for a passkey at each sign-in?',
  text: 'Your password alone signs nobody in any more. Lose the passkey, and only your recovery kit or another passkey lets you in.',
  action: 'Switch on',
  pendingAction: 'Switching on...',
}

const OFF = {
  title: 'Stop asking for a passkey?',
  text: 'Your password alone signs in again. The passkeys stay.',
  action: 'Switch off',
  pendingAction: 'Switching off...',
  isDangerous: true,
}
