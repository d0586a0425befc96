import { useState } from 'react'
import { useStore } from 'zustand'
import type { Tier } from '../../contract/money/plans.ts'
import { prefsStore } from '../alerts/notifications/newsPrefs.ts'
import { OFFER } from '../alerts/notifications/Offer.tsx'
import { useWays } from '../me/account/useWays.tsx'
import { COPIED } from '../me/devices/NewDevices.tsx'
import { devicesStore } from '../me/devices/store.ts'
import { kitTitle } from '../me/kit/KitReminder.tsx'
import { useSignIns } from '../me/sessions/NewSignIns.tsx'
import { browserWords, signInTitle } from '../me/sessions/sessionWords.ts'
import { titleOf, useCodeUses } from '../people/contactcodes/CodeUses.tsx'
import { vanishedTitle } from '../people/contacts/Vanished.tsx'
import { vanishedStore } from '../people/contacts/vanished.ts'
import { useReminder } from '../plan/plans/PlanReminder.tsx'
import { useNow } from '../ui/env.tsx'
import { keysPutOff, putOff } from './putOff.ts'

interface Asked {
  tier: Tier
  /** True where nothing but the account’s safety is told, as on the settings. */
  isSafetyOnly: boolean
  /** True where another part of the screen speaks of the kit. */
  isKitSaid: boolean
}

/** What asks for the person now: what is about the account’s safety until it is answered, the rest until it is put off for a day. */
export function useNotices({ tier, isSafetyOnly, isKitSaid }: Asked) {
  const now = useNow(60_000)
  const [, setPutOffAt] = useState<Date>()
  const signIns = useSignIns()
  const { announced, copiedAt } = useStore(devicesStore)
  const uses = useCodeUses()
  const vanished = useStore(vanishedStore, (state) => state.vanished)
  const isOffered = useStore(prefsStore, ({ offer }) => offer === 'due')
  const { ways } = useWays()
  const reminder = useReminder(tier, now)

  const safety = [
    ...signIns.map((signIn) => `${signInTitle(signIn)}: ${browserWords(signIn)}`),
    ...(copiedAt === null ? [] : [COPIED]),
    ...announced.map(() => 'A new browser was added'),
    ...uses.map(titleOf),
    ...vanished.map(({ username }) => vanishedTitle(username)),
  ]
  const off = keysPutOff(now)
  const waits = (key: string, isDue: boolean) => !isSafetyOnly && isDue && !off.includes(key)
  const shown = {
    kit: waits('kit', !isKitSaid && ways !== null && ways.kit === null),
    offer: waits('offer', isOffered),
    reminder: reminder && waits(reminder.key, true) ? reminder : undefined,
  }
  const rest = [
    ...(shown.kit ? [{ key: 'kit', words: kitTitle() }] : []),
    ...(shown.offer ? [{ key: 'offer', words: OFFER }] : []),
    ...(shown.reminder ? [{ key: shown.reminder.key, words: shown.reminder.title }] : []),
  ]
  return {
    ...shown,
    words: [...safety, ...rest.map(({ words }) => words)],
    canWait: rest.length > 0,
    wait() {
      putOff(
        rest.map(({ key }) => key),
        now,
      )
      setPutOffAt(new Date())
    },
  }
}

export type Notices = ReturnType<typeof useNotices>
