import { Activity } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { More } from '../../ui/More.tsx'
import { NotRead } from '../../ui/NotRead.tsx'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { showToast } from '../../ui/toast.ts'
import { STEADY_WORDS } from './steadyWords.ts'

/** Pads what this browser sends. The switch moves once the vault has stored the change. */
export function SteadySettings() {
  const env = useEnv()
  const [isOn, setOn] = useState<boolean>()
  const [failure, setFailure] = useState<string | null>(null)
  const reload = useCallback(
    () =>
      void env.crypto.isSteady().then(
        (isKept) => {
          setFailure(null)
          setOn(isKept)
        },
        (error: unknown) => setFailure(failureWords(error)),
      ),
    [env],
  )
  useEffect(reload, [reload])

  async function change(next: boolean) {
    try {
      await env.crypto.setSteady(next)
      env.socket.steady(next)
      setOn(next)
    } catch (error) {
      showToast({ tone: 'bad', title: STEADY_WORDS.failed, text: failureWords(error) })
    }
  }

  if (isOn === undefined)
    return <NotRead words="Whether this browser pads what it sends could not be read." failure={failure} onRetry={reload} />
  return (
    <div className="stack tight">
      <ul className="lines">
        <SwitchLine
          icon={Activity}
          name={STEADY_WORDS.name}
          words={STEADY_WORDS.cost}
          isOn={isOn}
          onSwitch={() => void change(!isOn)}
        />
      </ul>
      <More title={STEADY_WORDS.more}>
        {STEADY_WORDS.covers.map((words) => (
          <p key={words}>{words}</p>
        ))}
        <p>
          <b>What shows all the same.</b> {STEADY_WORDS.shows}
        </p>
        <p>{STEADY_WORDS.server}</p>
      </More>
    </div>
  )
}
