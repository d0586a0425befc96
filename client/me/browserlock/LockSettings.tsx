import { useCallback, useEffect, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { hasStore } from '../../ui/hasStore.ts'
import { More } from '../../ui/More.tsx'
import { NotRead } from '../../ui/NotRead.tsx'
import { showToast } from '../../ui/toast.ts'
import type { LockAfter, LockStanding } from '../../worker/crypto.ts'
import { changeLockTime, standingOf, switchLockOn } from './browserlock.ts'
import { LockOffDialog } from './LockOffDialog.tsx'
import { hearTabs } from './lockTabs.ts'
import { wayWords } from './lockWords.ts'
import { SwitchOnDialog } from './SwitchOnDialog.tsx'
import './browserlock.css'
import '../../ui/segments.css'

const TIMES: { after: LockAfter | null; words: string }[] = [
  { after: null, words: 'Off' },
  { after: 5, words: '5 minutes' },
  { after: 15, words: '15 minutes' },
  { after: 60, words: '1 hour' },
  { after: 'hidden', words: 'When hidden' },
]

const NO_STORE =
  'This window has no store, so there is no lock for it: loaded anew, the page asks for your password. Log out, or close it, when you go away.'

/** When this browser locks itself [Note: V3]. A choice counts once the vault has it. */
export function LockSettings({ userId }: { userId: string }) {
  const env = useEnv()
  const [standing, setStanding] = useState<LockStanding | null>()
  const [asked, setAsked] = useState<LockAfter | 'off'>()
  const [failure, setFailure] = useState<string | null>(null)
  const [canLock, setCanLock] = useState(true)
  useEffect(() => void hasStore().then(setCanLock), [])
  const reload = useCallback(
    () =>
      void standingOf(env, userId).then(
        (found) => {
          setFailure(null)
          setStanding(found)
        },
        (error: unknown) => setFailure(failureWords(error)),
      ),
    [env, userId],
  )
  useEffect(() => {
    reload()
    return hearTabs(reload)
  }, [reload])

  // A lock ends the page, and with it all keys of such a window.
  if (!canLock) return <p className="small t2">{NO_STORE}</p>
  // A question that is open stays.
  if (standing === undefined || (failure !== null && asked === undefined))
    return <NotRead words="The lock of this browser could not be read." failure={failure} onRetry={reload} />
  const now = standing?.after ?? null

  function choose(after: LockAfter | null) {
    if (after === now) return
    if (after === null) return setAsked('off')
    if (!standing) return setAsked(after)
    changeLockTime(env, after)
      .then(reload)
      .catch((error) => showToast({ tone: 'bad', title: 'The time was not changed', text: failureWords(error) }))
  }

  function done() {
    setAsked(undefined)
    reload()
  }

  return (
    <div className="stack tight">
      <fieldset className="segmented">
        <legend>Without input for</legend>
        <div className="segments">
          {TIMES.map(({ after, words }) => (
            <label key={words}>
              <input type="radio" name="lock-after" checked={after === now} onChange={() => choose(after)} />
              {words}
            </label>
          ))}
        </div>
      </fieldset>
      <p className="small t2">
        Then it asks for {standing ? wayWords(standing) : 'your password or a passkey'}. What arrives meanwhile is counted, not
        shown.{standing && <span className="by-key"> Ctrl Alt L locks at once.</span>}
      </p>
      <More title="What the lock covers">
        <p>All tabs of this browser, also after a reload. A copy of its profile opens nothing either.</p>
        <p>
          Not covered: copies from before the lock was switched on, and what stays in this computer’s memory for a while after
          locking.
        </p>
      </More>
      {asked === 'off' && standing && <LockOffDialog standing={standing} onDone={done} onClose={() => setAsked(undefined)} />}
      {asked !== undefined && asked !== 'off' && (
        <SwitchOnDialog
          title="Lock this browser?"
          text="From now on it opens with this only, each time a page of Conclave is loaded."
          legend="Unlock with"
          switchOn={(entered) => switchLockOn(env, { after: asked, ...entered })}
          onDone={done}
          onClose={() => setAsked(undefined)}
        >
          <p className="small t2">
            Change your password here, and the lock follows. Change it on another browser, and this one goes on asking for the
            password from before.
          </p>
        </SwitchOnDialog>
      )}
    </div>
  )
}
