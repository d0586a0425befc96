import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { onionOf } from '../../contract/people/onion.ts'
import { Profile } from '../me/account/Profile.tsx'
import { devicesStore } from '../me/devices/store.ts'
import { PhotoSettings } from '../me/photo/PhotoSettings.tsx'
import { DeleteAccount } from '../me/security/DeleteAccount.tsx'
import { Part } from '../ui/Part.tsx'
import { useCopy } from '../ui/useCopy.tsx'
import { InstallPart } from './InstallPart.tsx'
import { part } from './settingsWords.ts'
import { TextSize } from './TextSize.tsx'

/** Who one is here. */
export function ProfilePage({ user }: { user: User }) {
  const onionAddress = onionOf(useStore(devicesStore, (state) => state.identityKey))
  return (
    <>
      <Part {...part('photo')}>
        <PhotoSettings user={user} />
      </Part>
      <Part {...part('about-you')}>
        <Profile user={user} />
      </Part>
      {onionAddress && (
        <Part {...part('address')}>
          <Address onionAddress={onionAddress} />
        </Part>
      )}
      <Part {...part('text-size')}>
        <TextSize />
      </Part>
      <InstallPart />
      <Part {...part('delete')}>
        <DeleteAccount user={user} />
      </Part>
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
