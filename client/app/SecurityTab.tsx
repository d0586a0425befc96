import { MonitorSmartphone } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { Administration } from '../me/account/Administration.tsx'
import { LockSettings } from '../me/browserlock/LockSettings.tsx'
import { OfflineSettings } from '../me/browserlock/OfflineSettings.tsx'
import { loadDevices } from '../me/devices/deviceList.ts'
import { devicesStore } from '../me/devices/store.ts'
import { BiometricSettings } from '../me/passkeys/BiometricSettings.tsx'
import { PasskeySettings } from '../me/passkeys/PasskeySettings.tsx'
import { PrivacySettings } from '../me/privacy/PrivacySettings.tsx'
import { SteadySettings } from '../me/privacy/SteadySettings.tsx'
import { STEADY_WORDS } from '../me/privacy/steadyWords.ts'
import { ChangePassword } from '../me/security/ChangePassword.tsx'
import { HistorySwitch } from '../me/security/HistorySwitch.tsx'
import { KitSettings } from '../me/security/KitSettings.tsx'
import { OpeningMode } from '../me/security/OpeningMode.tsx'
import { BlockedPeople } from '../people/contacts/BlockedPeople.tsx'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { later } from '../ui/later.tsx'
import { Part } from '../ui/Part.tsx'
import { moment } from '../ui/time.ts'
import { showToast } from '../ui/toast.ts'

const CallSettings = later(async () => (await import('../chat/calls/CallSettings.tsx')).CallSettings)
const CodePart = later(async () => (await import('../me/buildcheck/CodePart.tsx')).CodePart)

/** The id of the part with the form that changes the password, which the address names behind `#`. */
export const PASSWORD = 'password'

/** What opens the account, what is open, and what contacts see of it. */
export function SecurityTab({ user }: { user: User }) {
  const env = useEnv()
  const keepsHistory = useStore(devicesStore, (state) => state.keepsHistory)
  useEffect(() => {
    function focusPassword() {
      if (location.hash !== `#${PASSWORD}`) return
      // Runs after the effect that focuses the title.
      requestAnimationFrame(() => document.querySelector<HTMLInputElement>(`#${PASSWORD} input:not([tabindex])`)?.focus())
    }
    focusPassword()
    // The router says so of each change of the address: the announcement of a sign-in leads here from this page as well.
    globalThis.addEventListener('pushState', focusPassword)
    return () => globalThis.removeEventListener('pushState', focusPassword)
  }, [])
  const reload = () =>
    void loadDevices(env).catch((error) =>
      showToast({ tone: 'bad', title: 'Your devices could not be loaded', text: failureWords(error) }),
    )
  return (
    <>
      <Part id={PASSWORD} title="Change password" text="Your other browsers are signed out.">
        <ChangePassword user={user} />
      </Part>
      <Part title="Recovery kit" text="The only way back in without a password.">
        <KitSettings username={user.username.toLowerCase()} />
      </Part>
      <Part title="Biometric sign-in" text="A second factor beside the password.">
        <BiometricSettings user={user} />
      </Part>
      <Part title="Passkeys" text="A fingerprint, your face or a hardware key.">
        <PasskeySettings isAsked={user.biometricEnabled} />
      </Part>
      <Part title="Lock this browser" text="When you leave it open and go away.">
        <LockSettings userId={user.id} />
      </Part>
      <Part title="Without a connection" text="Where the server cannot be reached.">
        <OfflineSettings userId={user.id} />
      </Part>
      <Part title="What contacts see" text="It counts both ways: what you hide, you do not see of them.">
        <PrivacySettings />
      </Part>
      <Part title={STEADY_WORDS.title} text={STEADY_WORDS.text}>
        <SteadySettings />
      </Part>
      <Part id="calls" title="Calls" text="What they show, and what they use.">
        <CallSettings />
      </Part>
      <Part title="Blocked people" text="They are not told, and see you as away.">
        <BlockedPeople ownId={user.id} />
      </Part>
      <Part title="Sessions and devices" text="Each browser holds its own keys.">
        <OwnBrowsers />
      </Part>
      <Part title="New browsers" text="What opens one that you add.">
        <OpeningMode />
      </Part>
      <Part title="History" text="What a new browser can read of the past.">
        <HistorySwitch isKept={keepsHistory} onChanged={reload} />
      </Part>
      <Part title="What administrators did" text="To your account, in the last 90 days.">
        <Administration />
      </Part>
      <Part id="code" title="The code of this page" text="What this browser runs, and who signed it.">
        <CodePart />
      </Part>
    </>
  )
}

/** Leads to the page of sessions and devices, and says how many browsers there are. */
function OwnBrowsers() {
  const env = useEnv()
  const devices = useStore(devicesStore, (state) => state.devices)
  const [newest] = [...devices].sort((a, b) => b.addedAt.localeCompare(a.addedAt))
  useEffect(() => {
    // The page itself says what could not be loaded.
    loadDevices(env).catch(() => undefined)
  }, [env])
  const count = devices.length === 1 ? '1 browser in your account' : `${devices.length} browsers in your account`
  return (
    <ul className="lines">
      <li>
        <MonitorSmartphone className="i" aria-hidden />
        <div>
          <b>{newest ? count : 'Your browsers'}</b>
          {newest && (
            <p>
              The newest: <bdi>{newest.name}</bdi>, {moment(new Date(newest.addedAt))}
            </p>
          )}
        </div>
        <div className="acts">
          <Link className="btn compact outline" href="/settings?tab=devices">
            Look them over
          </Link>
        </div>
      </li>
    </ul>
  )
}
