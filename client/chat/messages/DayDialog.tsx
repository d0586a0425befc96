import { type FormEvent, useState } from 'react'
import type { Room } from '../../rooms/list/room.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv, useNow } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { dateField, fromDateField } from '../../ui/time.ts'
import { jumpToDay } from './messages.ts'

export function DayDialog({ room, from, onClose }: { room: Room; from: Date; onClose: () => void }) {
  const env = useEnv()
  const now = useNow()
  const [value, setValue] = useState(dateField(from))
  const [error, setError] = useState<string>()
  const [isPending, setPending] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    const day = fromDateField(value)
    if (isPending) return
    if (!day) return setError('Choose a day')
    setPending(true)
    try {
      if (await jumpToDay(env, room, day)) return onClose()
      setError('Nothing was written on that day or after it')
    } catch (failure) {
      setError(failureWords(failure))
    }
    setPending(false)
  }

  return (
    <Dialog title="Go to a day" text="The chat opens where that day begins." onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Day"
          type="date"
          max={dateField(now)}
          value={value}
          error={error}
          autoComplete="off"
          onValue={(day) => {
            setValue(day)
            setError(undefined)
          }}
        />
        <footer>
          <button type="button" className="btn outline" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn primary" disabled={isPending}>
            {isPending ? 'Looking...' : 'Go'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
