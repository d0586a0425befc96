import type { User } from '../../contract/account/account.ts'
import { Administration } from '../me/account/Administration.tsx'
import { LockSettings } from '../me/browserlock/LockSettings.tsx'
import { OfflineSettings } from '../me/browserlock/OfflineSettings.tsx'
import { BiometricSettings } from '../me/passkeys/BiometricSettings.tsx'
import { PasskeySettings } from '../me/passkeys/PasskeySettings.tsx'
import { ChangePassword } from '../me/security/ChangePassword.tsx'
import { KitSettings } from '../me/security/KitSettings.tsx'
import { Part } from '../ui/Part.tsx'
import { part } from './settingsWords.ts'

/** What opens the account and this browser. */
export function SecurityPage({ user }: { user: User }) {
  return (
    <>
      <Part {...part('password')}>
        <ChangePassword user={user} />
      </Part>
      <Part {...part('kit')}>
        <KitSettings username={user.username.toLowerCase()} />
      </Part>
      <Part {...part('lock')}>
        <LockSettings userId={user.id} />
      </Part>
      <Part {...part('biometric')}>
        <BiometricSettings user={user} />
      </Part>
      <Part {...part('passkeys')}>
        <PasskeySettings isAsked={user.biometricEnabled} />
      </Part>
      <Part {...part('offline')}>
        <OfflineSettings userId={user.id} />
      </Part>
      <Part {...part('administrators')}>
        <Administration />
      </Part>
    </>
  )
}
