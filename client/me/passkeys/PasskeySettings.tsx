import { Fingerprint, Pencil } from 'lucide-react'
import { useRef, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { fullDay } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import { type Opener, openKeys } from '../account/keys.ts'
import { joinPasskeys, type ListedPasskey, removePasskey } from '../account/passkeyFactors.ts'
import { passkeysWork } from '../account/passkeysWork.ts'
import { useWays } from '../account/useWays.tsx'
import { WayDialog } from '../security/WayDialog.tsx'
import { WaysUnknown } from '../security/WaysUnknown.tsx'
import { MakePasskey } from './MakePasskey.tsx'
import { RenamePasskey } from './RenamePasskey.tsx'

type Doing =
  | { what: 'nothing' }
  | { what: 'opening' }
  | { what: 'making' }
  | { what: 'renaming' | 'removing'; passkey: ListedPasskey }

/** Lists, adds and removes the account's passkeys: which sign in, and which open the keys on a new browser [Note: K1]. */
export function PasskeySettings({ isAsked }: { isAsked: boolean }) {
  const env = useEnv()
  const { ways, factors, failure, reload } = useWays()
  const [doing, setDoing] = useState<Doing>({ what: 'nothing' })
  const root = useRef<HTMLDivElement>(null)
  const done = () => {
    setDoing({ what: 'nothing' })
    // The focused element has been removed.
    requestAnimationFrame(() => root.current?.querySelector<HTMLElement>(':scope > .acts button')?.focus())
  }

  async function open(opener: Opener) {
    await openKeys(env, opener)
    setDoing({ what: 'making' })
  }

  async function made(opensKeys: boolean) {
    showToast({
      tone: 'good',
      title: 'The passkey is added',
      text: opensKeys ? 'It signs you in, and opens your keys on a new browser.' : 'It signs you in. It cannot open your keys.',
    })
    done()
    await reload()
  }

  async function remove(opener: Opener, passkey: ListedPasskey) {
    await removePasskey(env, opener, passkey)
    await reload()
    done()
    showToast({
      tone: 'plain',
      title: 'The passkey is removed',
      text: 'It opens nothing here. On its device it stays until you delete it there.',
    })
  }

  if (!ways || !factors) return <WaysUnknown failure={failure} onRetry={reload} />
  const passkeys = joinPasskeys(ways, factors)
  const isLastWay = !ways.password && !ways.kit && ways.passkeys.length === 1
  const isLastFactor = isAsked && factors.length <= (ways.kit ? 1 : 2)
  const whyKept = ({ opensKeys, host }: ListedPasskey): string | undefined => {
    if (opensKeys && isLastWay) return LAST_WAY
    return host !== null && isLastFactor ? (ways.kit ? LAST_WITH_KIT : LAST_TWO) : undefined
  }
  const reasons = new Set(passkeys.map(whyKept).filter((reason) => reason !== undefined))
  const canAdd = passkeysWork()
  return (
    <div ref={root} className="stack">
      {passkeys.length > 0 && (
        <ul className="lines" aria-label="Passkeys">
          {passkeys.map((passkey) => (
            <Line
              key={passkey.id}
              passkey={passkey}
              isKept={whyKept(passkey) !== undefined}
              // The list shows a new passkey before the answer has come to this page: a dialog would be closed by it.
              isBusy={doing.what === 'making'}
              onRename={() => setDoing({ what: 'renaming', passkey })}
              onRemove={() => setDoing({ what: 'removing', passkey })}
            />
          ))}
        </ul>
      )}
      {[...reasons].map((reason) => (
        <p key={reason} className="small t2">
          {reason}
        </p>
      ))}
      {doing.what === 'making' ? (
        <MakePasskey onMade={made} onCancel={done} />
      ) : (
        <div className="acts">
          <button type="button" className="btn outline" disabled={!canAdd} onClick={() => setDoing({ what: 'opening' })}>
            Add a passkey
          </button>
        </div>
      )}
      <p className="small t2">
        {canAdd
          ? `A new passkey signs you in, and opens your keys on a new browser where its device can. It works at ${location.hostname} only.`
          : 'Passkeys do not work in this browser or at this address.'}
      </p>
      <p className="small t2">{ONE_ADDRESS}</p>
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
      {doing.what === 'renaming' && <RenamePasskey passkey={doing.passkey} onRenamed={reload} onClose={done} />}
      {doing.what === 'removing' && (
        <WayDialog
          title="Remove this passkey?"
          text="It no longer signs you in, and opens no keys on a new browser. On its device it stays until you delete it there."
          action="Remove the passkey"
          pendingAction="Removing..."
          isDangerous
          onOpen={(opener) => remove(opener, doing.passkey)}
          onClose={done}
        />
      )}
    </div>
  )
}

const ONE_ADDRESS =
  'Passkeys, and the sign-in that this browser keeps, belong to one address. At another address of this server, by Tor or not, sign in by password or recovery kit, and make a passkey there.'
const LAST_WAY =
  'The last passkey cannot be removed: nothing else opens your keys. Let the password open them, or make a recovery kit, first.'
const LAST_WITH_KIT =
  'While the sign-in asks for a passkey, the last one cannot be removed. Add another one first, or switch that off.'
const LAST_TWO =
  'While the sign-in asks for a passkey and you have no recovery kit, two must stay. Make a kit or add another one first, or switch that off.'

interface LineProps {
  passkey: ListedPasskey
  /** True if it cannot be removed now. */
  isKept: boolean
  isBusy: boolean
  onRename: () => void
  onRemove: () => void
}

function Line({ passkey, isKept, isBusy, onRename, onRemove }: LineProps) {
  const { id, name, madeAt, lastUsedAt, host } = passkey
  const called = name || id.slice(0, 6)
  return (
    <li>
      <Fingerprint className="i" aria-hidden />
      <div>
        <b>
          <bdi>{name || 'Passkey'}</bdi>
        </b>
        <p>{purposeOf(passkey)}</p>
        <p>
          {madeAt && <>Made {fullDay(new Date(madeAt))}, </>}
          {lastUsedAt && <>last used {fullDay(new Date(lastUsedAt))}, </>}
          <span className="mono">{id.slice(0, 6)}</span>
        </p>
      </div>
      <div className="acts">
        {host !== null && (
          <IconButton icon={Pencil} label={`Name the passkey ${called}`} isTight isDisabled={isBusy} onClick={onRename} />
        )}
        <button
          type="button"
          className="btn outline compact"
          aria-label={`Remove the passkey ${called}`}
          disabled={isKept || isBusy}
          onClick={onRemove}
        >
          Remove
        </button>
      </div>
    </li>
  )
}

/** What a passkey is for. */
function purposeOf({ host, opensKeys }: ListedPasskey): string {
  if (host === null) return 'Opens your keys only. To sign in with it, remove it and add it anew'
  const where = host === location.hostname ? 'Signs you in' : `Signs you in at ${host}`
  return opensKeys ? `${where}, and opens your keys` : `${where}. Opens no keys`
}
