import { BellRing } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { Part } from '../../ui/Part.tsx'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { prefsStore } from '../notifications/newsPrefs.ts'
import { HomeScreen } from './HomeScreen.tsx'
import { lacksHomeScreen, type PushStanding, pushStanding, switchPushOff, switchPushOn } from './push.ts'
import { QuietSettings } from './QuietSettings.tsx'

const TOLD = 'The system says “New message”, once however many come. No name, no text.'
const WORDS: Record<PushStanding, string> = {
  granted: TOLD,
  default: `${TOLD} Your browser asks you first.`,
  denied: 'Your browser blocks notifications of this page. Allow them in its settings for this address, then come back here.',
  unsupported: 'This browser cannot be told while Conclave is closed.',
  onion:
    'Not by the onion address: the push service would learn from this browser’s own connection, beside Tor, where you are and when something comes. While Conclave is closed, nothing tells you.',
  insecure: 'Browsers are told of news on HTTPS alone.',
}

/** The switch for news while no page is open. */
export function PushSettings({ children }: { children?: ReactNode }) {
  return (
    <Part
      id="closed"
      title="While Conclave is closed"
      text="The push service of your browser’s maker passes it on. It learns that something came and when, not from whom or what."
    >
      {lacksHomeScreen() && <HomeScreen />}
      <ul className="lines">
        <PushChoice />
        {children}
        <QuietSettings />
      </ul>
    </Part>
  )
}

function PushChoice() {
  const env = useEnv()
  const isPushed = useStore(prefsStore, (prefs) => prefs.isPushed)
  const [allowed, setAllowed] = useState(pushStanding)
  const [isPending, setPending] = useState(false)
  const isOn = isPushed && allowed === 'granted'
  // People may change the permission in the browser's own settings and return.
  useEffect(() => {
    const look = () => setAllowed(pushStanding())
    globalThis.addEventListener('focus', look)
    return () => globalThis.removeEventListener('focus', look)
  }, [])

  async function toggle() {
    setPending(true)
    await (isOn ? switchPushOff(env) : switchPushOn(env))
    setAllowed(pushStanding())
    setPending(false)
  }

  return (
    <SwitchLine
      icon={BellRing}
      name="Notify me when Conclave is closed"
      words={isPending ? 'One moment...' : WORDS[allowed]}
      isOn={isOn}
      isDisabled={isPending || (allowed !== 'granted' && allowed !== 'default')}
      onSwitch={toggle}
    />
  )
}
