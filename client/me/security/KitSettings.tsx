import { FileKey } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { Note } from '../../ui/Note.tsx'
import { fullDay } from '../../ui/time.ts'
import { addKit, changeKeys, type Opener, type Ways } from '../account/keys.ts'
import { useWays } from '../account/useWays.tsx'
import { KitPages } from '../kit/KitPages.tsx'
import { dropKitShown, hasUncheckedKit } from '../kit/uncheckedKit.ts'
import { WayDialog } from './WayDialog.tsx'
import { WaysUnknown } from './WaysUnknown.tsx'

type Doing = 'nothing' | 'making' | 'confirming' | 'removing'

/** The recovery kit in the settings: make, replace, remove. */
export function KitSettings({ username }: { username: string }) {
  const env = useEnv()
  const { ways, failure, reload } = useWays()
  const [doing, setDoing] = useState<Doing>('nothing')
  const root = useRef<HTMLDivElement>(null)
  const isMaking = doing === 'making' || doing === 'confirming'
  useEffect(() => {
    if (!isMaking) return
    // Erases a kit that was not added from the worker.
    return () => {
      void env.crypto.forgetPassword()
      // The focused element has been removed with the kit's pages.
      requestAnimationFrame(() => root.current?.querySelector('button')?.focus())
    }
  }, [env, isMaking])

  async function keep(opener: Opener) {
    await addKit(env, opener)
    dropKitShown()
    await reload()
    setDoing('nothing')
  }

  async function remove(opener: Opener) {
    await changeKeys(env, opener, { kit: 'remove' })
    await reload()
    setDoing('nothing')
  }

  if (!ways) return <WaysUnknown failure={failure} onRetry={reload} />
  return (
    <div ref={root} className="stack">
      {isMaking ? (
        <KitPages heading="h3" username={username} pendingWords="Checking..." onRight={async () => setDoing('confirming')}>
          <button type="button" className="btn quiet" onClick={() => setDoing('nothing')}>
            Cancel
          </button>
        </KitPages>
      ) : (
        <State ways={ways} onMake={() => setDoing('making')} onRemove={() => setDoing('removing')} />
      )}
      {doing === 'confirming' && (
        <WayDialog
          title="Make this your recovery kit"
          text={
            ways.kit
              ? 'From then on these words open your account, and the old kit is useless.'
              : 'From then on these words open your account.'
          }
          action="Make the kit"
          pendingAction="Making the kit..."
          onOpen={keep}
          onClose={() => setDoing('making')}
        />
      )}
      {doing === 'removing' && (
        <WayDialog
          title="Remove the recovery kit?"
          text="Its words open nothing any more. Without a kit, a forgotten password closes this account to you for good."
          action="Remove the kit"
          pendingAction="Removing..."
          isDangerous
          onOpen={remove}
          onClose={() => setDoing('nothing')}
        />
      )}
    </div>
  )
}

function State({ ways, onMake, onRemove }: { ways: Ways; onMake: () => void; onRemove: () => void }) {
  const unchecked = hasUncheckedKit() ? UNCHECKED : undefined
  const isLastWay = !ways.password && ways.passkeys.length === 0
  return (
    <>
      <Note icon={FileKey}>
        {ways.kit ? (
          <>
            <strong>{madeWords(ways.kit.madeAt)}.</strong> {unchecked ?? 'A new kit makes the old one useless.'}
          </>
        ) : (
          <>
            <strong>You have no recovery kit.</strong> {unchecked} Without one, a forgotten password closes this account to you
            for good.
          </>
        )}
      </Note>
      <div className="acts">
        <button type="button" className={ways.kit ? 'btn outline' : 'btn primary'} onClick={onMake}>
          {ways.kit ? 'Make a new kit' : 'Make a recovery kit'}
        </button>
        {ways.kit && (
          <button type="button" className="btn outline" disabled={isLastWay} onClick={onRemove}>
            Remove the kit
          </button>
        )}
      </div>
      {ways.kit && isLastWay && (
        <p className="small t2">
          The kit cannot be removed: nothing else opens your keys. Let the password open them, or add a passkey, first.
        </p>
      )}
    </>
  )
}

const UNCHECKED = 'The one that you were shown last was never checked, so it does not count.'

const madeWords = (madeAt: string | null) => (madeAt ? `Made ${fullDay(new Date(madeAt))}` : 'You have a recovery kit')
