import { CircleAlert, Fingerprint } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { addPasskey, type Opener, openKeys, removePasskey, type Ways } from '../account/keys.ts'
import { passkeysWork } from '../account/passkeyshere.ts'
import { useWays } from '../account/useWays.tsx'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { Note } from '../ui/Note.tsx'
import { fullDay } from '../ui/time.ts'
import { showToast } from '../ui/toast.ts'
import { WayDialog } from './WayDialog.tsx'
import { WaysUnknown } from './WaysUnknown.tsx'

type Doing = { what: 'nothing' } | { what: 'opening' } | { what: 'making' } | { what: 'removing'; id: string }

/** Lists, adds and removes the passkeys that open the account's keys on a new browser. */
export function PasskeySettings() {
  const env = useEnv()
  const { ways, failure, reload } = useWays()
  const [doing, setDoing] = useState<Doing>({ what: 'nothing' })
  const root = useRef<HTMLDivElement>(null)
  const done = () => {
    setDoing({ what: 'nothing' })
    // The focused element has been removed.
    requestAnimationFrame(() => root.current?.querySelector<HTMLElement>('.acts button')?.focus())
  }

  async function open(opener: Opener) {
    await openKeys(env, opener)
    setDoing({ what: 'making' })
  }

  async function remove(opener: Opener, id: string) {
    await removePasskey(env, opener, id)
    await reload()
    done()
    showToast({
      tone: 'plain',
      title: 'The passkey is removed',
      text: 'It opens nothing here. On its device it stays until you delete it there.',
    })
  }

  if (!ways) return <WaysUnknown failure={failure} onRetry={reload} />
  const canAdd = passkeysWork()
  return (
    <div ref={root} className="stack">
      <Passkeys ways={ways} onRemove={(id) => setDoing({ what: 'removing', id })} />
      {doing.what === 'making' ? (
        <MakePasskey
          onMade={async () => {
            await reload()
            done()
          }}
          onCancel={done}
        />
      ) : (
        <div className="acts">
          <button type="button" className="btn outline" disabled={!canAdd} onClick={() => setDoing({ what: 'opening' })}>
            Add a passkey
          </button>
        </div>
      )}
      <p className="small t2">
        {canAdd
          ? `A passkey opens your keys on a new browser, after the password. It works at ${location.hostname} only.`
          : 'Passkeys do not work in this browser or at this address.'}
      </p>
      {doing.what === 'opening' && (
        <WayDialog
          title="Add a passkey"
          text="First open your keys. Then your device makes the passkey."
          action="Go on"
          pendingAction="Opening your keys..."
          onOpen={open}
          onClose={done}
        />
      )}
      {doing.what === 'removing' && (
        <WayDialog
          title="Remove this passkey?"
          text="It no longer opens your keys on a new browser. On its device it stays until you delete it there."
          action="Remove the passkey"
          pendingAction="Removing..."
          isDangerous
          onOpen={(opener) => remove(opener, doing.id)}
          onClose={done}
        />
      )}
    </div>
  )
}

function Passkeys({ ways, onRemove }: { ways: Ways; onRemove: (id: string) => void }) {
  if (ways.passkeys.length === 0) return null
  const isLastWay = !ways.password && !ways.kit && ways.passkeys.length === 1
  return (
    <>
      <ul className="lines">
        {ways.passkeys.map(({ id, madeAt }) => (
          <li key={id}>
            <Fingerprint className="i" aria-hidden />
            <div>
              <b>Passkey</b>
              <p>
                {madeAt && <>Made {fullDay(new Date(madeAt))}, </>}
                <span className="mono">{id.slice(0, 6)}</span>
              </p>
            </div>
            <button
              type="button"
              className="btn outline compact"
              aria-label={`Remove the passkey ${id.slice(0, 6)}`}
              disabled={isLastWay}
              onClick={() => onRemove(id)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      {isLastWay && (
        <p className="small t2">
          It cannot be removed: nothing else opens your keys. Let the password open them, or make a recovery kit, first.
        </p>
      )}
    </>
  )
}

interface MakeProps {
  onMade: () => Promise<void>
  onCancel: () => void
}

/** A separate button, because browsers allow a passkey request only right after a press, and opening the keys takes longer. */
function MakePasskey({ onMade, onCancel }: MakeProps) {
  const env = useEnv()
  const button = useRef<HTMLButtonElement>(null)
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    button.current?.focus()
    // Closes the keys also after a failure.
    return () => void env.crypto.forgetPassword()
  }, [env])

  async function make() {
    setPending(true)
    setFailure(undefined)
    try {
      await addPasskey(env, { kind: 'fresh' })
      showToast({ tone: 'good', title: 'The passkey is added', text: 'It opens your keys on a new browser.' })
      await onMade()
    } catch (error) {
      setFailure(failureWords(error))
      setPending(false)
    }
  }

  return (
    <div className="stack">
      <Note icon={failure ? CircleAlert : Fingerprint} tone={failure ? 'danger' : 'acc'} role={failure ? 'alert' : 'status'}>
        {failure ?? 'Your keys are open. Your browser asks next where the passkey is to be kept.'}
      </Note>
      <div className="acts">
        <button ref={button} type="button" className="btn primary" disabled={isPending} onClick={make}>
          {isPending ? 'Waiting for the passkey...' : 'Make the passkey'}
        </button>
        <button type="button" className="btn outline" disabled={isPending} onClick={onCancel}>
          Cancel
        </button>
      </div>
    </div>
  )
}
