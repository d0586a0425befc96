import { useState } from 'react'
import type { MuteTerm } from '../../../contract/chat/notifications.ts'
import type { Room } from '../../rooms/list/room.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { muteRoom, TERMS } from './mute.ts'
import './notifications.css'

interface Props {
  room: Room
  name: string
  onClose: () => void
}

/** Asks for how long a chat is muted. */
export function MuteDialog({ room, name, onClose }: Props) {
  const env = useEnv()
  const [term, setTerm] = useState<MuteTerm>('eight_hours')
  const [isPending, setPending] = useState(false)

  async function mute() {
    setPending(true)
    try {
      await muteRoom(env, room, term)
      onClose()
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'The chat was not muted', text: failureWords(error) })
    }
  }

  return (
    <Dialog
      title={`Mute ${name}`}
      text="No bell, no dot and no sound for it, in all your browsers. Its messages are still counted in its row. Nobody is told."
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void mute()
        }}
      >
        <fieldset className="terms">
          <legend className="sr">For how long</legend>
          {TERMS.map(({ term: each, words }) => (
            <label key={each}>
              <input type="radio" name="mute-term" checked={each === term} onChange={() => setTerm(each)} />
              {words}
            </label>
          ))}
        </fieldset>
        <FormFooter action="Mute" pendingAction="Muting..." isPending={isPending} onClose={onClose} />
      </form>
    </Dialog>
  )
}
