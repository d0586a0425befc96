import { useState } from 'react'
import { openForOrder } from '../../me/account/signedOrder.ts'
import { loadDevices, shownDevices } from '../../me/devices/deviceList.ts'
import { RemoveDevice } from '../../me/devices/RemoveDevice.tsx'
import { WayDialog } from '../../me/security/WayDialog.tsx'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { openClaimed } from './chatlocks.ts'

/** Asks for a way into the account before a chat opens that another browser has locked, and offers to remove that browser. */
export function OpenClaimed({ room, person, onClose }: { room: DirectRow; person: Person; onClose: () => void }) {
  const env = useEnv()
  const [device, setDevice] = useState<ReturnType<typeof shownDevices.getState>['devices'][number]>()
  const [isRemoving, setRemoving] = useState(false)
  const name = nameOf(person)
  if (device && isRemoving) return <RemoveDevice device={device} isStolen onClose={onClose} onRemoved={() => undefined} />
  if (device)
    return (
      <Dialog
        title="Do you know this browser?"
        text={`The lock came with the address book of “${device.name}”. If you do not know it, or somebody else has it, remove it.`}
        onClose={onClose}
      >
        <footer>
          <button type="button" className="btn outline" onClick={onClose}>
            It is mine
          </button>
          <button type="button" className="btn danger" onClick={() => setRemoving(true)}>
            Remove it
          </button>
        </footer>
      </Dialog>
    )
  return (
    <WayDialog
      title={`Open the chat with ${name}?`}
      text="The lock goes from all of your browsers. Nothing of the chat is lost."
      action="Open chat"
      pendingAction="Opening..."
      onOpen={async (opener) => {
        let lockedBy: string | undefined
        try {
          await openForOrder(env, opener)
          lockedBy = await openClaimed(env, room)
        } finally {
          await env.crypto.forgetPassword()
        }
        // It is open all the same.
        await loadDevices(env).catch(() => undefined)
        const found = shownDevices.getState().devices.find(({ id, isCurrent }) => id === lockedBy && !isCurrent)
        if (found) setDevice(found)
        else onClose()
      }}
      onClose={onClose}
    />
  )
}
