import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { PLANS } from '../../contract/money/plans.ts'
import { standing } from '../alerts/notifications/desktop.ts'
import { prefsStore } from '../alerts/notifications/newsPrefs.ts'
import { profileDraftStore, typedProfile } from '../me/account/profileDraft.ts'
import { useWays } from '../me/account/useWays.tsx'
import { standingOf } from '../me/browserlock/browserlock.ts'
import { hearTabs } from '../me/browserlock/lockTabs.ts'
import { wayWords } from '../me/browserlock/lockWords.ts'
import { devicesStore } from '../me/devices/store.ts'
import { hasUncheckedKit } from '../me/kit/uncheckedKit.ts'
import { signInsStore } from '../me/sessions/store.ts'
import { reminderOf } from '../plan/plans/reminder.ts'
import { plansStore } from '../plan/plans/store.ts'
import { isBlocked } from '../rooms/list/room.ts'
import { roomsStore } from '../rooms/list/roomList.ts'
import { useEnv, useNow } from '../ui/env.tsx'
import type { LockStanding } from '../worker/crypto.ts'
import type { Place } from './settingsWords.ts'

interface PlaceState {
  /** What stands there now, or what one finds. */
  words: string
  /** What there asks for the person. */
  asks?: string | undefined
}

/** What the list of the settings says of each page. Nothing is asked of the server for it but the ways into the account. */
export function usePlaceStates(user: User): Record<Place, PlaceState> {
  const { isDesktop, isPushed, hasContent } = useStore(prefsStore)
  const { status, devices, announced, copiedAt } = useStore(devicesStore)
  const signIns = useStore(signInsStore, (state) => state.signIns.length)
  const subscription = useStore(plansStore, (state) => state.subscription)
  const draft = useStore(profileDraftStore, (state) => state.draft)
  const blocked = useStore(roomsStore, ({ rooms }) => [...rooms.values()].filter(isBlocked).length)
  const { ways } = useWays()
  const now = useNow(60_000)
  const isTold = (isDesktop && standing() === 'granted') || isPushed
  const hidden = Object.values(user.privacy).filter((isShown) => !isShown).length
  const { isNameChanged, isEmailChanged } = typedProfile(user, draft)
  return {
    profile: { words: 'Name, photo, text size', asks: isNameChanged || isEmailChanged ? 'Changes are not saved' : undefined },
    notifications: { words: isTold ? (hasContent ? 'On · with names' : 'On · names hidden') : 'Off' },
    storage: { words: 'Files of this browser, export' },
    about: { words: 'Build, code, the server' },
    plan: {
      words: PLANS[user.subscriptionTier].name,
      asks: subscription ? reminderOf(subscription, now)?.title : undefined,
    },
    security: {
      words: 'Password, kit, passkeys, lock',
      asks: ways && !ways.kit ? (hasUncheckedKit() ? 'The kit was never checked' : 'No recovery kit') : undefined,
    },
    privacy: {
      words: `${hidden === 0 ? 'Contacts see all' : `${hidden} of 4 hidden`} · ${blocked === 0 ? 'nobody' : blocked} blocked`,
    },
    devices: {
      words: status === 'loading' ? 'Your browsers' : devices.length === 1 ? '1 browser' : `${devices.length} browsers`,
      asks:
        announced.length > 0
          ? 'A new browser'
          : signIns > 0
            ? 'A new sign-in'
            : copiedAt === null
              ? undefined
              : 'This browser was copied',
    },
  }
}

/** What "Lock now" does, in words. */
export function useLockWords(userId: string): string {
  const env = useEnv()
  const [lock, setLock] = useState<LockStanding | null>()
  useEffect(() => {
    // What could not be read is said by the page of the lock.
    const read = () => void standingOf(env, userId).then(setLock, () => setLock(undefined))
    read()
    return hearTabs(read)
  }, [env, userId])
  return lock === undefined ? 'This browser' : lock ? `Asks for ${wayWords(lock)}` : 'Choose first how it opens again'
}
