import type { User } from '../../contract/account/account.ts'
import { CallSettings } from '../chat/calls/CallSettings.tsx'
import { NewTimer } from '../chat/timers/NewTimer.tsx'
import { PrivacySettings } from '../me/privacy/PrivacySettings.tsx'
import { SteadySettings } from '../me/privacy/SteadySettings.tsx'
import { BlockedPeople } from '../people/contacts/BlockedPeople.tsx'
import { Part } from '../ui/Part.tsx'
import { part } from './settingsWords.ts'

/** What others see of the account: contacts, and whoever watches the line. */
export function PrivacyPage({ user }: { user: User }) {
  return (
    <>
      <Part {...part('contacts')}>
        <PrivacySettings />
      </Part>
      <Part {...part('timer')}>
        <NewTimer />
      </Part>
      <Part {...part('calls')}>
        <CallSettings />
      </Part>
      <Part {...part('line')}>
        <SteadySettings />
      </Part>
      <Part {...part('blocked')}>
        <BlockedPeople ownId={user.id} />
      </Part>
    </>
  )
}
