import { EyeOff, Radio, SlidersHorizontal } from 'lucide-react'
import { useEffect, useState } from 'react'
import { callsApi } from '../../../contract/chat/calls.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { later } from '../../ui/later.tsx'
import { NotRead } from '../../ui/NotRead.tsx'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { showToast } from '../../ui/toast.ts'
import { hidesAddress, setHidesAddress } from './address.ts'
import { TryDevices } from './TryDevices.tsx'
import { hideAddressWords } from './viewWords.ts'

const TestConnection = later(async () => (await import('./TestConnection.tsx')).TestConnection)

/** What calls show, what they use, and what they can use from here. */
export function CallSettings() {
  const [isTesting, setTesting] = useState(false)
  const [isTrying, setTrying] = useState(false)
  return (
    <ul className="lines">
      <HideAddress />
      <li>
        <SlidersHorizontal className="i" aria-hidden />
        <div>
          <b>Devices</b>
          <p>Microphone, camera and speaker of this browser.</p>
        </div>
        <div className="acts">
          <button type="button" className="btn compact outline" aria-expanded={isTrying} onClick={() => setTrying(!isTrying)}>
            {isTrying ? 'Close' : 'Choose and try'}
          </button>
        </div>
        {isTrying && <TryDevices />}
      </li>
      <li>
        <Radio className="i" aria-hidden />
        <div>
          <b>Connection</b>
          <p>What your network lets calls use.</p>
        </div>
        <div className="acts">
          <button type="button" className="btn compact outline" onClick={() => setTesting(true)}>
            Test my connection
          </button>
        </div>
      </li>
      {isTesting && <TestConnection onClose={() => setTesting(false)} />}
    </ul>
  )
}

function HideAddress() {
  const env = useEnv()
  const [standing, setStanding] = useState<{ hasRelay: boolean; isHidden: boolean }>()
  const [failure, setFailure] = useState<string | null>(null)
  const [attempt, setAttempt] = useState(0)
  const [isBusy, setBusy] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt reads anew
  useEffect(() => {
    let isShown = true
    read(env).then(
      (now) => isShown && setStanding(now),
      (error: unknown) => isShown && setFailure(failureWords(error)),
    )
    return () => {
      isShown = false
    }
  }, [env, attempt])

  async function toggle(isHidden: boolean) {
    setBusy(true)
    try {
      await setHidesAddress(env, isHidden)
      setStanding((now) => now && { ...now, isHidden })
    } catch (error) {
      showToast({ tone: 'bad', title: 'Nothing was changed', text: failureWords(error) })
    } finally {
      setBusy(false)
    }
  }

  if (!standing)
    return (
      <li>
        <EyeOff className="i" aria-hidden />
        <NotRead
          words="Whether your address is hidden could not be read."
          failure={failure}
          onRetry={() => {
            setFailure(null)
            setAttempt(attempt + 1)
          }}
        />
      </li>
    )
  const { hasRelay, isHidden } = standing
  return (
    <SwitchLine
      icon={EyeOff}
      name="Hide my address"
      words={hideAddressWords(hasRelay, isHidden)}
      isOn={isHidden}
      // The choice can be taken back where the relay has gone.
      isDisabled={!hasRelay && !isHidden}
      isBusy={isBusy}
      onSwitch={() => toggle(!isHidden)}
    />
  )
}

async function read(env: ReturnType<typeof useEnv>) {
  const { hasRelay, hidesByDefault } = await env.api(callsApi.settings, {})
  return { hasRelay, isHidden: await hidesAddress(env, hidesByDefault) }
}
