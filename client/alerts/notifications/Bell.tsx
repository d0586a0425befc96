import { Bell as Icon } from 'lucide-react'
import { useState } from 'react'
import { useStore } from 'zustand'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { later } from '../../ui/later.tsx'

const BellPanel = later(async () => (await import('./BellPanel.tsx')).BellPanel)

/** How many messages wait unread in chats that are not muted. Opens the list of them. */
export function Bell({ onSettings }: { onSettings: () => void }) {
  const count = useStore(roomsStore, (state) => state.unreadTotal)
  const [isOpen, setOpen] = useState(false)
  const isMany = count > LIMITS.notificationCap
  const words = isMany ? `more than ${LIMITS.notificationCap}` : count || 'none'
  return (
    <span className="bell">
      <IconButton icon={Icon} label="Notifications" onClick={() => setOpen(true)} />
      {count > 0 && (
        <span className="count red" aria-hidden="true">
          {isMany ? `${LIMITS.notificationCap}+` : count}
        </span>
      )}
      <span className="sr" role="status">
        Notifications, {words} unread
      </span>
      {isOpen && <BellPanel onSettings={onSettings} onClose={() => setOpen(false)} />}
    </span>
  )
}
