import { TriangleAlert } from 'lucide-react'
import { openForOrder } from '../../me/account/signedOrder.ts'
import { WayDialog } from '../../me/security/WayDialog.tsx'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { useEnv } from '../../ui/env.tsx'
import { Note } from '../../ui/Note.tsx'
import { giveUpHistory } from './chatlocks.ts'

/** Asks for a way into the account before the history of a chat goes with its forgotten password. */
export function GiveUpHistory({ room, person, onClose }: { room: DirectRow; person: Person; onClose: () => void }) {
  const env = useEnv()
  const name = nameOf(person)
  return (
    <WayDialog
      title="Give up this chat’s history?"
      text={`For a forgotten chat password. The chat with ${name} goes on without one, from here.`}
      action="Give up history"
      pendingAction="Giving up..."
      isDangerous
      onOpen={async (opener) => {
        try {
          await openForOrder(env, opener)
          await giveUpHistory(env, room)
        } finally {
          await env.crypto.forgetPassword()
        }
        onClose()
      }}
      onClose={onClose}
    >
      <Note icon={TriangleAlert} tone="danger">
        All messages up to now, and those that wait on the server, leave all of your browsers for good. This cannot be undone.
      </Note>
    </WayDialog>
  )
}
