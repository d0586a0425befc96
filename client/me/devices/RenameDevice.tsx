import { LIMITS } from '../../../contract/ground/limits.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { FieldForm } from '../../ui/FieldForm.tsx'
import { failureWords } from '../../ui/failure.ts'
import { renameDevice } from './deviceList.ts'
import type { OwnDevice } from './store.ts'

/** Asks for a browser's own name. It lies in the sealed book, so no way in is asked for. */
export function RenameDevice({ device, onClose }: { device: OwnDevice; onClose: () => void }) {
  const env = useEnv()

  async function rename(name: string) {
    try {
      await renameDevice(env, device.id, name)
    } catch (error) {
      return `The name was not kept. ${failureWords(error)}`
    }
    onClose()
  }

  return (
    <Dialog title={`Name ${device.name}`} text="Only your own browsers can read the name." onClose={onClose}>
      <FieldForm
        label="Name"
        rule={`at most ${LIMITS.deviceNameMax} characters`}
        help={<p className="help">Leave it empty for the name that it came with.</p>}
        initial={device.name}
        action="Save"
        pendingAction="Saving..."
        mayBeEmpty
        maxLength={LIMITS.deviceNameMax}
        dir="auto"
        onSubmit={rename}
        onClose={onClose}
      />
    </Dialog>
  )
}
