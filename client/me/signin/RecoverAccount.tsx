import { CircleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { Slowly } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { KitPages } from '../kit/KitPages.tsx'
import { ConfirmDevices } from './ConfirmDevices.tsx'
import { focusStep } from './focusStep.ts'
import { KitSignIn } from './KitSignIn.tsx'
import { RecoverPassword } from './RecoverPassword.tsx'
import { recoverAccount } from './recover.ts'
import type { SignInStep } from './signin.ts'
import { useCancel } from './useCancel.tsx'

type Devices = Extract<SignInStep, { step: 'recover' }>['devices']
type At =
  | { at: 'kit' }
  | { at: 'devices'; devices: Devices; isBookLost: boolean }
  | { at: 'password' }
  | { at: 'next' }
  | { at: 'new_kit' }

interface Props {
  /** The username already typed at the sign-in. */
  username: string
  /** Called with the username as it was typed here. */
  onCancel: (username: string) => void
}

/** Account recovery without the password: enter the kit, see the devices, choose a password, make a new kit. */
export function RecoverAccount({ username: typed, onCancel }: Props) {
  const env = useEnv()
  const root = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<At>({ at: 'kit' })
  const [username, setUsername] = useState(typed)
  const [words, setWords] = useState('')
  const [pair, setPair] = useState({ password: '', confirmPassword: '' })
  const [deviceName, setDeviceName] = useState<string>()
  const [removesOthers, setRemovesOthers] = useState(true)
  const [startsBook, setStartsBook] = useState(false)

  useEffect(() => {
    // The kit's pages do this themselves.
    if (at.at !== 'new_kit') focusStep(root.current)
  }, [at.at])

  function take(step: SignInStep) {
    // The worker has the kit, so the page clears its words.
    setWords('')
    if (step.step !== 'recover') return
    setAt({ at: 'devices', devices: step.devices, isBookLost: step.isBookLost })
    setStartsBook(step.isBookLost)
  }

  const cancel = useCancel(() => onCancel(username))

  const recover = () =>
    recoverAccount(env, { ...pair, removesOthers, startsBook, ...(deviceName !== undefined && { deviceName }) })
  return (
    <div ref={root}>
      {at.at === 'kit' && (
        <KitSignIn
          username={username}
          words={words}
          onChange={(changed) => {
            if (changed.username !== undefined) setUsername(changed.username)
            if (changed.words !== undefined) setWords(changed.words)
          }}
          onStep={take}
          onCancel={() => onCancel(username)}
        />
      )}
      {at.at === 'devices' && (
        <ConfirmDevices
          devices={at.devices}
          removal={{ isOn: removesOthers, onChange: setRemovesOthers }}
          isBookLost={at.isBookLost}
          onConfirm={async (name) => {
            setDeviceName(name)
            setAt({ at: 'password' })
          }}
          onCancel={() => onCancel(username)}
        />
      )}
      {at.at === 'password' && (
        <RecoverPassword
          username={username}
          value={pair}
          onValue={setPair}
          onChosen={() => setAt({ at: 'next' })}
          onCancel={cancel}
        />
      )}
      {at.at === 'next' && <NextKit onMake={() => setAt({ at: 'new_kit' })} onWithout={recover} onCancel={cancel} />}
      {at.at === 'new_kit' && (
        <KitPages
          heading="h1"
          username={username}
          part="Nothing has changed yet: the kit that you used still works."
          pendingWords="Opening your account..."
          onRight={recover}
        >
          <button type="button" className="btn quiet" onClick={cancel}>
            Cancel
          </button>
        </KitPages>
      )}
      {/* The password is stretched on pages without its field. */}
      <Slowly />
    </div>
  )
}

interface NextProps {
  onMake: () => void
  onWithout: () => Promise<void>
  onCancel: () => void
}

/** Asks whether to make a new kit, as the used one stops working with this step. */
function NextKit({ onMake, onWithout, onCancel }: NextProps) {
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<string>()

  async function goOn() {
    setPending(true)
    setFailure(undefined)
    try {
      await onWithout()
    } catch (error) {
      setFailure(failureWords(error))
      setPending(false)
    }
  }

  return (
    <section className="step">
      <h1 tabIndex={-1}>Your next kit</h1>
      <p className="t2">
        With this step the kit that you used stops working. Make the next one now: without one, a password that is forgotten again
        closes this account to you for good.
      </p>
      {failure && (
        <Note icon={CircleAlert} tone="danger" role="alert">
          <strong>Your account was not opened.</strong> {failure}
        </Note>
      )}
      <div className="step-actions stacked">
        <button type="button" className="btn primary large" disabled={isPending} onClick={onMake}>
          Make a new kit
        </button>
        <button type="button" className="btn outline large" disabled={isPending} onClick={goOn}>
          {isPending ? 'Opening your account...' : 'Go on without a kit'}
        </button>
        <button type="button" className="btn quiet large" disabled={isPending} onClick={onCancel}>
          Cancel
        </button>
      </div>
    </section>
  )
}
