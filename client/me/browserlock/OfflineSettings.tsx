import { CloudOff } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { More } from '../../ui/More.tsx'
import { NotRead } from '../../ui/NotRead.tsx'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { showToast } from '../../ui/toast.ts'
import type { LockStanding, VaultWays } from '../../worker/crypto.ts'
import { offlineWaysOf, standingOf, switchOfflineOff, switchOfflineOn } from './browserlock.ts'
import { hearTabs } from './lockTabs.ts'
import { wayWords } from './lockWords.ts'
import { SwitchOnDialog } from './SwitchOnDialog.tsx'

/** Lets this browser open without the server [Note: V3]. The switch moves once the vault has stored the change. */
export function OfflineSettings({ userId }: { userId: string }) {
  const env = useEnv()
  const [ways, setWays] = useState<VaultWays | null>()
  const [lock, setLock] = useState<LockStanding | null>(null)
  const [isAsked, setAsked] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const reload = useCallback(
    () =>
      void Promise.all([offlineWaysOf(env, userId), standingOf(env, userId)]).then(
        ([offline, standing]) => {
          setFailure(null)
          setWays(offline)
          setLock(standing)
        },
        (error: unknown) => setFailure(failureWords(error)),
      ),
    [env, userId],
  )
  useEffect(() => {
    reload()
    return hearTabs(reload)
  }, [reload])

  async function switchOff() {
    try {
      await switchOfflineOff(env)
    } catch (error) {
      showToast({ tone: 'bad', title: 'Nothing was changed', text: failureWords(error) })
    }
    reload()
  }

  // What was read before may no longer hold.
  if (ways === undefined || (failure !== null && !isAsked))
    return (
      <NotRead words="Whether this browser opens without a connection could not be read." failure={failure} onRetry={reload} />
    )
  return (
    <div className="stack tight">
      <ul className="lines">
        <SwitchLine
          icon={CloudOff}
          name="Open without a connection"
          words={
            ways
              ? `Without a connection it asks for ${wayWords(ways)}, and shows what this browser has.`
              : 'Read your chats on a train. It asks for your password or a passkey.'
          }
          isOn={ways !== null}
          onSwitch={() => (ways ? void switchOff() : setAsked(true))}
        />
      </ul>
      <More title="What it costs">
        <Cost />
        <p>Switching it off takes nothing back from a copy that was made before.</p>
      </More>
      {isAsked && (
        <SwitchOnDialog
          title="Open without a connection?"
          text="This browser keeps a copy of Conclave, and opens with this where the server cannot be reached."
          legend="Open with"
          only={lock}
          switchOn={(entered) => switchOfflineOn(env, entered)}
          onDone={() => {
            setAsked(false)
            reload()
          }}
          onClose={() => setAsked(false)}
        >
          <div className="stack tight small t2">
            <Cost />
          </div>
        </SwitchOnDialog>
      )}
    </div>
  )
}

function Cost() {
  return (
    <>
      <p>
        <b>A stolen browser stays open to a guess.</b> So far the server keeps a part of the key, and removing this browser from
        your account shuts it. With this it no longer does.
      </p>
      <p>
        Whoever copies the data of this browser can try passwords on it, about one a second and computer, and nobody notices. A
        long password holds, a short one does not. A passkey cannot be guessed.
      </p>
    </>
  )
}
