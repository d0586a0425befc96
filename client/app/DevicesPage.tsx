import { useLocation } from 'wouter'
import { useStore } from 'zustand'
import { loadDevices } from '../me/devices/deviceList.ts'
import { devicesStore } from '../me/devices/store.ts'
import { HistorySwitch } from '../me/security/HistorySwitch.tsx'
import { OpeningMode } from '../me/security/OpeningMode.tsx'
import { SessionsPage } from '../me/sessions/SessionsPage.tsx'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { Part } from '../ui/Part.tsx'
import { showToast } from '../ui/toast.ts'
import { addressOf } from './places.ts'
import { part } from './settingsWords.ts'

/** The account's browsers and sessions, and what a new browser finds. */
export function DevicesPage() {
  const env = useEnv()
  const [, navigate] = useLocation()
  const keepsHistory = useStore(devicesStore, (state) => state.keepsHistory)
  const reload = () =>
    void loadDevices(env).catch((error) =>
      showToast({ tone: 'bad', title: 'Your devices could not be loaded', text: failureWords(error) }),
    )
  return (
    <>
      <SessionsPage onChangePassword={() => navigate(addressOf('security', 'password'))} />
      <Part {...part('opening')}>
        <OpeningMode />
      </Part>
      <Part {...part('history')}>
        <HistorySwitch isKept={keepsHistory} onChanged={reload} />
      </Part>
    </>
  )
}
