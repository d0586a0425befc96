import { BookX, MonitorSmartphone, ShieldAlert } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { thisBrowser, unusedName } from '../account/browserName.ts'
import '../../ui/switch.css'
import { moment } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import { halfway } from './halfway.ts'
import { enrolThisBrowser, type SignInStep } from './signin.ts'
import { useCancel } from './useCancel.tsx'

interface Props {
  devices: Extract<SignInStep, { step: 'confirm_devices' }>['devices']
  onCancel: () => void
  /** Runs when the person agrees; by default adds this browser. */
  onConfirm?: (name: string) => Promise<void>
  /** Offers to remove all listed devices, because after a recovery another person may have one of them. */
  removal?: { isOn: boolean; onChange: (isOn: boolean) => void }
  /** True if a recovery finds no address book that holds: an empty one begins [Note: I1]. */
  isBookLost?: boolean
}

/** Shows the account's devices before this browser is added to them [Note: D1]. */
export function ConfirmDevices({ devices, onCancel, onConfirm, removal, isBookLost = false }: Props) {
  const env = useEnv()
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  const [name, setName] = useState(() =>
    unusedName(
      thisBrowser().name,
      devices.map((device) => device.name),
    ),
  )
  const [isPending, setPending] = useState(false)
  const [keepsShutVault] = useState(() => halfway.entered?.keepsShutVault ?? false)

  async function add(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    setPending(true)
    try {
      await (onConfirm ? onConfirm(name) : enrolThisBrowser(env, name))
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'This browser was not added', text: failureWords(error) })
    }
  }

  const cancel = useCancel(onCancel)

  return (
    <section className="step">
      <h1 ref={title} tabIndex={-1}>
        Add this browser?
      </h1>
      <p className="t2">
        {devices.length > 0
          ? 'Your account has the browsers below. If one of them is not yours, somebody else can open your account.'
          : 'Your account has no other browser.'}{' '}
        This browser will read and write your messages.
      </p>
      {keepsShutVault && (
        <Note icon={ShieldAlert} tone="danger" role="alert">
          <strong>This browser already keeps keys of your account, and they did not open.</strong> The server did not return the
          secret that belongs to them. Unless you removed this browser yourself, it may not be honest: look at the list with care.
          The keys stay here, sealed, with what you had not sent.
        </Note>
      )}
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
      {isBookLost && (
        <Note icon={BookX} tone="danger" role="alert">
          <strong>Your address book cannot be read.</strong> The server holds none that your browsers wrote. If you have one of
          them in your hands, turn “Remove these browsers” off: its copy comes in when you open it. An empty one begins: everybody
          becomes “Not verified”, and each chat asks for the person’s key before it sends.
        </Note>
      )}
      <form onSubmit={add} noValidate>
        {removal && devices.length > 0 && (
          <div className="also">
            <div>
              <b id="removal-name">Remove these browsers</b>
              <p className="small t2" id="removal-words">
                They are signed out and read nothing that is written from then on. Turn this off only if you have all of them in
                your hands.
              </p>
            </div>
            <input
              type="checkbox"
              role="switch"
              className="switch"
              aria-labelledby="removal-name"
              aria-describedby="removal-words"
              checked={removal.isOn}
              aria-checked={removal.isOn}
              onChange={(event) => removal.onChange(event.target.checked)}
            />
          </div>
        )}
        <Field
          label="Name of this browser"
          rule={`at most ${LIMITS.deviceNameMax} characters`}
          help={<p className="help">Only your own browsers can read it.</p>}
          value={name}
          onValue={setName}
          maxLength={LIMITS.deviceNameMax}
          autoComplete="off"
          dir="auto"
        />
        <div className="step-actions">
          <button type="submit" className="btn primary large" disabled={isPending}>
            {isPending ? 'Adding...' : 'Add this browser'}
          </button>
          <button type="button" className="btn outline large" disabled={isPending} onClick={cancel}>
            Cancel
          </button>
        </div>
      </form>
    </section>
  )
}
