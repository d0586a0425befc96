import { PhoneIncoming } from 'lucide-react'
import { useEffect, useState } from 'react'
import { callsApi } from '../../../contract/chat/calls.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { showToast } from '../../ui/toast.ts'

const WORDS =
  'A call reaches your browsers by push while Conclave is closed. The push service can tell a ring from a message, not who calls. Sessions by the onion address are never rung so.'

/** The switch for rings while no page is open. It counts for all browsers of the account. */
export function RingClosed() {
  const env = useEnv()
  const [isOn, setOn] = useState<boolean>()
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    let isShown = true
    env.api(callsApi.settings, {}).then(
      ({ ringsClosed }) => isShown && setOn(ringsClosed),
      (error: unknown) => isShown && setFailure(failureWords(error)),
    )
    return () => {
      isShown = false
    }
  }, [env])

  async function toggle() {
    setBusy(true)
    try {
      await env.api(callsApi.updateSettings, { ringsClosed: !isOn })
      setOn(!isOn)
    } catch (error) {
      showToast({ tone: 'bad', title: 'Nothing was changed', text: failureWords(error) })
    } finally {
      setBusy(false)
    }
  }

  return (
    <SwitchLine
      icon={PhoneIncoming}
      name="Ring closed browsers"
      words={failure ?? WORDS}
      isOn={isOn ?? false}
      isDisabled={isOn === undefined}
      isBusy={isBusy}
      onSwitch={toggle}
    />
  )
}
