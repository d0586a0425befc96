import { ChevronLeft } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useStore } from 'zustand'
import type { User } from '../../contract/account.ts'
import { Devices } from '../devices/Devices.tsx'
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
import { showToast } from '../ui/toast.ts'
import './lines.css'
import './settings.css'

const TABS = ['profile', 'security'] as const
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
  useEffect(() => {
    sessionStorage.removeItem(ASKED_TAB)
    title.current?.focus()
  }, [])

  function open(next: string) {
    setAsked(null)
    setSearch({ tab: next }, { replace: true })
  }

  return (
    <div className="settings">
      <main className="page">
        <header>
          <IconButton icon={ChevronLeft} label="Back to chat" onClick={onBack} />
          <h1 ref={title} tabIndex={-1}>
            Profile Settings
          </h1>
        </header>
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
      </main>
    </div>
  )
}

const tabOf = (value: string | null): Tab | undefined => TABS.find((tab) => tab === value)

function Part({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className="part">
      <header>
        <h2>{title}</h2>
        <p>{text}</p>
      </header>
      <div>{children}</div>
    </section>
  )
}

function Profile({ user }: { user: User }) {
  const onionAddress = useStore(devicesStore, (state) => state.onionAddress)
  return (
    <>
      <Part title="About you" text="Your username is how others find you; it stays as it is.">
        <dl className="facts-own">
          <div>
            <dt>Display name</dt>
            <dd dir="auto">{user.displayName}</dd>
          </div>
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
  const reload = () =>
    void loadDevices(env).catch((error) =>
      showToast({ tone: 'bad', title: 'Your devices could not be loaded', text: failureWords(error) }),
    )
  return (
    <>
      <Part title="Devices" text="Each holds its own keys. Remove what you do not recognise.">
        <Devices />
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
      <Part title="Change password" text="Seals your keys again and signs out your other browsers.">
        <ChangePassword user={user} />
      </Part>
    </>
  )
}
