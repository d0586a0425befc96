import { type FormEvent, useState } from 'react'
import { LIMITS } from '../../contract/limits.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { renameDevice } from './list.ts'
import type { OwnDevice } from './store.ts'

/** Asks for a browser's own name. It lies in the sealed book, so no way in is asked for. */
export function RenameDevice({ device, onClose }: { device: OwnDevice; onClose: () => void }) {
  const env = useEnv()
  const [name, setName] = useState(device.name)
  const [isPending, setPending] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    setPending(true)
    try {
      await renameDevice(env, device.id, name)
      onClose()
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'The name was not kept', text: failureWords(error) })
    }
  }

  return (
    <Dialog title={`Name ${device.name}`} text="Only your own browsers can read the name." onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Field
          label="Name"
          rule={`at most ${LIMITS.deviceNameMax} characters`}
          help={<p className="help">Leave it empty for the name that it came with.</p>}
          value={name}
          onValue={setName}
          maxLength={LIMITS.deviceNameMax}
          autoComplete="off"
          dir="auto"
        />
        <FormFooter action="Save" pendingAction="Saving..." isPending={isPending} onClose={onClose} />
      </form>
    </Dialog>
  )
}
