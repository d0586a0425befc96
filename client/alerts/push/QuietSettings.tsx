import { Moon } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { QuietHours } from '../../../contract/chat/push.ts'
import { useEnv } from '../../ui/env.tsx'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { firstQuietHours, loadQuietHours, saveQuietHours, timeZoneHere } from './quietHours.ts'
import './quietHours.css'

type Loaded = QuietHours | null | 'loading' | 'failed'

/** When nothing is pushed to any browser of the account. */
export function QuietSettings() {
  const env = useEnv()
  const [hours, setHours] = useState<Loaded>('loading')
  const isLoaded = hours !== 'loading' && hours !== 'failed'
  const set = isLoaded ? hours : null

  useEffect(() => {
    if (hours === 'loading') loadQuietHours(env).then(setHours, () => setHours('failed'))
    if (hours !== 'failed') return
    const again = () => setHours('loading')
    for (const type of ['online', 'focus']) globalThis.addEventListener(type, again)
    return () => {
      for (const type of ['online', 'focus']) globalThis.removeEventListener(type, again)
    }
  }, [env, hours])

  async function change(next: QuietHours | null) {
    setHours(next)
    if (next && next.from === next.to) return
    // What the server has is shown again.
    if (!(await saveQuietHours(env, next))) setHours(await loadQuietHours(env).catch(() => 'failed' as const))
  }

  return (
    <SwitchLine
      icon={Moon}
      name="Quiet hours"
      words={wordsOf(hours)}
      isOn={set !== null}
      isDisabled={!isLoaded}
      onSwitch={() => void change(set ? null : firstQuietHours())}
    >
      {set && (
        <div className="quiet-hours">
          <Time name="From" value={set.from} onChange={(from) => void change({ ...set, from, timeZone: timeZoneHere() })} />
          <Time name="to" value={set.to} onChange={(to) => void change({ ...set, to, timeZone: timeZoneHere() })} />
          <p className="zone">{set.from === set.to ? 'Choose another end.' : set.timeZone.replaceAll('_', ' ')}</p>
        </div>
      )}
    </SwitchLine>
  )
}

function wordsOf(hours: Loaded): string {
  if (hours === 'loading') return 'Loading...'
  if (hours === 'failed') return 'Your quiet hours could not be loaded.'
  return 'None of your browsers is told meanwhile. What came is told once, when they end. Open pages go on as above.'
}

function Time({ name, value, onChange }: { name: string; value: string; onChange: (value: string) => void }) {
  return (
    <label>
      {name}
      <span className="input">
        {/* An emptied field keeps the time of before. */}
        <input type="time" value={value} required onChange={({ target }) => target.value && onChange(target.value)} />
      </span>
    </label>
  )
}
