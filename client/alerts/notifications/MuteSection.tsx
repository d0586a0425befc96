import { BellOff } from 'lucide-react'
import { useState } from 'react'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { useEnv, useNow } from '../../ui/env.tsx'
import { MuteDialog } from './MuteDialog.tsx'
import { mutedWords, unmuteRoom } from './mute.ts'

/** The part of the contact panel that mutes the chat. */
export function MuteSection({ room, name }: { room: RoomRow; name: string }) {
  const env = useEnv()
  const now = useNow()
  const [isAsking, setAsking] = useState(false)
  const { mutedUntil } = room

  return (
    <section aria-label="Notifications">
      <h3>Notifications</h3>
      <p className="small t2" role="status">
        {mutedUntil
          ? `${mutedWords(mutedUntil, now)}. Its messages are counted in its row alone.`
          : 'You are told of each message.'}
      </p>
      <div className="acts">
        <button
          type="button"
          className="btn compact outline"
          onClick={() => (mutedUntil ? void unmuteRoom(env, room) : setAsking(true))}
        >
          <BellOff className="i i-16" aria-hidden />
          {mutedUntil ? 'Unmute' : 'Mute'}
        </button>
      </div>
      {isAsking && <MuteDialog room={room} name={name} onClose={() => setAsking(false)} />}
    </section>
  )
}
