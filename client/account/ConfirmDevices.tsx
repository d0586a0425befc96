import { MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { moment } from '../ui/time.ts'
import { showToast } from '../ui/toast.ts'
import { cancelSignIn, enrolThisBrowser, type SignInStep } from './account.ts'

interface Props {
  devices: Extract<SignInStep, { step: 'confirm_devices' }>['devices']
  onCancel: () => void
}

/** A browser that the account does not know: the person sees the others before it is added [Note: D1]. */
export function ConfirmDevices({ devices, onCancel }: Props) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)

  async function add() {
    setPending(true)
    try {
      await enrolThisBrowser(env)
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'This browser was not added', text: failureWords(error) })
    }
  }

  function cancel() {
    cancelSignIn(env).catch((error) => showToast({ tone: 'bad', title: 'The sign-in stays open', text: failureWords(error) }))
    onCancel()
  }

  return (
    <section className="step">
      <h1 tabIndex={-1}>Add this browser?</h1>
      <p className="t2">
        {devices.length > 0
          ? 'Your account has the devices below. If one of them is not yours, somebody else knows your password.'
          : 'Your account has no other device.'}{' '}
        This browser will read and write your messages.
      </p>
      <ul className="devices">
        {devices.map((device) => (
          <li key={device.id}>
            <MonitorSmartphone className="i" aria-hidden />
            <div>
              <b dir="auto">{device.name}</b>
              <span className="small t2">Added {moment(new Date(device.addedAt))}</span>
            </div>
          </li>
        ))}
      </ul>
      <div className="step-actions">
        <button type="button" className="btn primary large" disabled={isPending} onClick={add}>
          {isPending ? 'Adding...' : 'Add this browser'}
        </button>
        <button type="button" className="btn outline large" disabled={isPending} onClick={cancel}>
          Cancel
        </button>
      </div>
    </section>
  )
}
