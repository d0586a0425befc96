import { LogOut } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { ExportSettings } from '../chat/export/ExportSettings.tsx'
import { LogoutDialog } from '../me/account/LogoutDialog.tsx'
import { Profile } from '../me/account/Profile.tsx'
import { devicesStore } from '../me/devices/store.ts'
import { PhotoSettings } from '../me/photo/PhotoSettings.tsx'
import { DeleteAccount } from '../me/security/DeleteAccount.tsx'
import { Part } from '../ui/Part.tsx'
import { useCopy } from '../ui/useCopy.tsx'
import { InstallPart } from './InstallPart.tsx'
import { addressOf } from './tabs.ts'

/** Who one is here, and the ways out. */
export function ProfileTab({ user }: { user: User }) {
  const onionAddress = useStore(devicesStore, (state) => state.onionAddress)
  const [isLeaving, setLeaving] = useState(false)
  return (
    <>
      <Part
        title="Photo"
        text="Shown to your contacts and to administrators of this server. Photos are not end-to-end encrypted."
      >
        <PhotoSettings user={user} />
      </Part>
      <Part title="About you" text="Your contacts see the display name. The username is how others find you; it stays as it is.">
        <Profile user={user} />
      </Part>
      {onionAddress && (
        <Part
          title="Your address"
          text="The name of your key: nothing connects to it, not even Tor. Whoever adds you by it need not take the server’s word."
        >
          <Address onionAddress={onionAddress} />
        </Part>
      )}
      <Part title="Notifications" text="What tells you of news, in this browser and when it is closed.">
        <div className="acts">
          <Link className="btn outline" href={addressOf('notifications')}>
            Choose
          </Link>
        </div>
      </Part>
      <Part title="Storage" text="What this browser keeps of files.">
        <div className="acts">
          <Link className="btn outline" href={addressOf('storage')} aria-label="Look at the storage">
            Look
          </Link>
        </div>
      </Part>
      <Part title="Export" text="A copy of all that this browser can read.">
        <ExportSettings user={user} />
      </Part>
      <InstallPart />
      <Part title="Log out" text="Of this browser. Its keys may stay.">
        <div className="acts">
          <button type="button" className="btn outline" onClick={() => setLeaving(true)}>
            <LogOut className="i i-16" aria-hidden />
            Logout
          </button>
        </div>
      </Part>
      <Part title="Delete account" text="For good, on the server and in this browser.">
        <DeleteAccount user={user} />
      </Part>
      {isLeaving && <LogoutDialog onClose={() => setLeaving(false)} />}
    </>
  )
}

function Address({ onionAddress }: { onionAddress: string }) {
  const { isCopied, copy } = useCopy(onionAddress)
  return (
    <div className="stack tight">
      <p className="mono address">{onionAddress}</p>
      <div className="acts">
        <button type="button" className="btn outline" aria-label="Copy your address" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
        <span className="sr" role="status">
          {isCopied && 'Copied'}
        </span>
      </div>
    </div>
  )
}
