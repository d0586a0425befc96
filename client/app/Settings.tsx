import { ChevronLeft, MonitorSmartphone } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { useStore } from 'zustand'
import type { User } from '../../contract/account.ts'
import { DisplayName } from '../account/DisplayName.tsx'
import { loadDevices } from '../devices/list.ts'
import { devicesStore } from '../devices/store.ts'
import { ExportSettings } from '../export/ExportSettings.tsx'
import { LockSettings } from '../lock/LockSettings.tsx'
import { ChangePassword } from '../security/ChangePassword.tsx'
import { DeleteAccount } from '../security/DeleteAccount.tsx'
import { HistorySwitch } from '../security/HistorySwitch.tsx'
import { KitSettings } from '../security/KitSettings.tsx'
import { OpeningMode } from '../security/OpeningMode.tsx'
import { PasskeySettings } from '../security/PasskeySettings.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { Part } from '../ui/Part.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { moment } from '../ui/time.ts'
import { showToast } from '../ui/toast.ts'
import './lines.css'
import './settings.css'

const SessionsPage = lazy(async () => ({ default: (await import('../sessions/SessionsPage.tsx')).SessionsPage }))

/** `devices` is a page of its own: it has no trigger, and leads back to `security`. */
const TABS = ['profile', 'security', 'devices'] as const
type Tab = (typeof TABS)[number]

/** Key under which another screen stores the tab to open. */
const ASKED_TAB = 'profileTab'

interface Props {
  user: User
  onBack: () => void
}

/** The settings screen, which replaces the conversations. */
export function Settings({ user, onBack }: Props) {
  const title = useRef<HTMLHeadingElement>(null)
  const [search, setSearch] = useSearchParams()
  const [asked, setAsked] = useState(() => sessionStorage.getItem(ASKED_TAB))
  const tab = tabOf(asked) ?? tabOf(search.get('tab')) ?? 'profile'
  const [, navigate] = useLocation()
  const isSessions = tab === 'devices'
  useEffect(() => sessionStorage.removeItem(ASKED_TAB), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page of the settings begins at its title
  useEffect(() => title.current?.focus(), [isSessions])

  function open(next: string) {
    setAsked(null)
    setSearch({ tab: next }, { replace: true })
  }

  return (
    <div className="settings">
      <main className="page">
        <header>
          <IconButton
            icon={ChevronLeft}
            label={isSessions ? 'Back to Profile Settings' : 'Back to chat'}
            onClick={isSessions ? () => open('security') : onBack}
          />
          <h1 ref={title} tabIndex={-1}>
            {isSessions ? 'Sessions and devices' : 'Profile Settings'}
          </h1>
        </header>
        {isSessions ? (
          <Suspense fallback={<Spinner words="Loading" />}>
            <SessionsPage onChangePassword={() => navigate(`/settings?tab=security#${PASSWORD}`)} />
          </Suspense>
        ) : (
          <Tabs.Root value={tab} onValueChange={open}>
            <Tabs.List className="tabs" aria-label="Profile settings">
              <Tabs.Trigger value="profile">Profile</Tabs.Trigger>
              <Tabs.Trigger value="security">Security</Tabs.Trigger>
            </Tabs.List>
            <Tabs.Content value="profile" tabIndex={-1}>
              <Profile user={user} />
            </Tabs.Content>
            <Tabs.Content value="security" tabIndex={-1}>
              <Security user={user} />
            </Tabs.Content>
          </Tabs.Root>
        )}
      </main>
    </div>
  )
}

const tabOf = (value: string | null): Tab | undefined => TABS.find((tab) => tab === value)

/** The id of the part with the form that changes the password, which the address names behind `#`. */
const PASSWORD = 'password'

function Profile({ user }: { user: User }) {
  const onionAddress = useStore(devicesStore, (state) => state.onionAddress)
  return (
    <>
      <Part title="About you" text="What others see of you, and what they find you by.">
        <DisplayName user={user} />
        <dl className="facts-own">
          <div>
            <dt>Username</dt>
            <dd>@{user.username.toLowerCase()}</dd>
          </div>
        </dl>
      </Part>
      {onionAddress && (
        <Part title="Your address" text="Your key. Whoever adds you by it need not take the server's word.">
          <p className="mono address">
            {onionAddress} <CopyButton text={onionAddress} label="Copy your address" />
          </p>
        </Part>
      )}
      <Part title="Export" text="All that this browser can read, as one file.">
        <ExportSettings user={user} />
      </Part>
      <Part title="Delete account" text="For good, on the server and in this browser.">
        <DeleteAccount user={user} />
      </Part>
    </>
  )
}

function Security({ user }: { user: User }) {
  const env = useEnv()
  const keepsHistory = useStore(devicesStore, (state) => state.keepsHistory)
  useEffect(() => {
    function focusPassword() {
      if (location.hash !== `#${PASSWORD}`) return
      // Behind the effect that focuses the title.
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
      <Part title="Sessions and devices" text="Each browser holds its own keys.">
        <OwnBrowsers />
      </Part>
      <Part title="Lock" text="When you leave this browser open and go away.">
        <LockSettings userId={user.id} />
      </Part>
      <Part title="Recovery kit" text="The only way back in without a password.">
        <KitSettings username={user.username.toLowerCase()} />
      </Part>
      <Part title="Passkeys" text="Open your keys on a new browser with a fingerprint, your face or a hardware key.">
        <PasskeySettings />
      </Part>
      <Part title="New browsers" text="What a browser that you add has to show, besides the password.">
        <OpeningMode />
      </Part>
      <Part title="History" text="What a browser that you add can read of the past.">
        <HistorySwitch isKept={keepsHistory} onChanged={reload} />
      </Part>
      <Part id={PASSWORD} title="Change password" text="Seals your keys again and signs out your other browsers.">
        <ChangePassword user={user} />
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
