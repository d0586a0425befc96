import { LockKeyhole } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '../../net/api.ts'
import { useEnv } from '../../ui/env.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { More } from '../../ui/More.tsx'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { type Opener, setPasswordOpens } from '../account/keys.ts'
import { useWays } from '../account/useWays.tsx'
import { WayDialog } from './WayDialog.tsx'
import { WaysUnknown } from './WaysUnknown.tsx'

/** Sets whether a new browser needs the kit or a passkey in addition to the password. */
export function OpeningMode() {
  const env = useEnv()
  const { ways, failure, reload } = useWays()
  const [isAsking, setAsking] = useState(false)
  const [password, setPassword] = useState('')
  const [passwordError, setPasswordError] = useState<string>()

  if (!ways) return <WaysUnknown failure={failure} onRetry={reload} />
  const isOn = !ways.password
  const canSwitch = isOn || ways.kit !== null || ways.passkeys.length > 0

  function close() {
    setAsking(false)
    setPassword('')
    setPasswordError(undefined)
  }

  async function switchOver(opener: Opener) {
    if (isOn && password === '') return setPasswordError('Password is required')
    try {
      await setPasswordOpens(env, opener, isOn ? { isOn: true, password } : { isOn: false })
    } catch (error) {
      // This error concerns the password field, not the chosen way in.
      if (error instanceof ApiError && error.code === 'invalid_credentials') return setPasswordError('Wrong password')
      throw error
    }
    await reload()
    close()
  }

  return (
    <div className="stack">
      <ul className="lines">
        <SwitchLine
          icon={LockKeyhole}
          name="New browsers need the kit or a passkey"
          words={
            canSwitch
              ? 'Asked after the password, on each new browser. Those that you use already go on as they are.'
              : 'Make a recovery kit or add a passkey first.'
          }
          isOn={isOn}
          isDisabled={!canSwitch}
          isAsked
          onSwitch={() => setAsking(true)}
        />
      </ul>
      <More title="What it changes">
        Your password alone still signs in, but whoever knows it sees no contact, opens no message and no key, and cannot change
        or delete anything.
      </More>
      {isAsking && (
        <WayDialog
          title={isOn ? 'Let the password open your keys again?' : 'Ask for the kit or a passkey?'}
          text={
            isOn
              ? 'A new browser then opens your account with the password alone.'
              : 'Your password stops opening your keys. Lose the kit and every passkey, and no new browser can be added. Show that you have one at hand.'
          }
          action={isOn ? 'Switch off' : 'Switch on'}
          pendingAction={isOn ? 'Switching off...' : 'Switching on...'}
          only={['passkey', 'kit']}
          onOpen={switchOver}
          onClose={close}
        >
          {isOn && (
            <PasswordField
              label="Password of this account"
              autoComplete="current-password"
              value={password}
              error={passwordError}
              onValue={(typed) => {
                setPassword(typed)
                setPasswordError(undefined)
              }}
            />
          )}
        </WayDialog>
      )}
    </div>
  )
}
