import { useRef, useState } from 'react'
import { PASSKEY_LIMITS } from '../../../contract/account/assertion.ts'
import { useEnv } from '../../ui/env.tsx'
import { Field } from '../../ui/Field.tsx'
import type { Opener } from '../account/keys.ts'
import { type ListedPasskey, renamePasskey } from '../account/passkeyFactors.ts'
import { WayDialog } from '../security/WayDialog.tsx'

interface Props {
  passkey: ListedPasskey
  onRenamed: () => Promise<void>
  onClose: () => void
}

/** Asks for another name of a passkey, and for a way in: by its name the person knows which one to remove. */
export function RenamePasskey({ passkey, onRenamed, onClose }: Props) {
  const env = useEnv()
  const [name, setName] = useState(passkey.name)
  const field = useRef<HTMLInputElement>(null)
  const [isNameless, setNameless] = useState(false)

  async function rename(opener: Opener) {
    setNameless(!name.trim())
    if (!name.trim()) return field.current?.focus()
    await renamePasskey(env, opener, passkey.id, name.trim())
    await onRenamed()
    onClose()
  }

  return (
    <WayDialog
      title="Name this passkey"
      text="The server keeps the name, so that you can tell your passkeys apart."
      action="Save the name"
      pendingAction="Saving..."
      onOpen={rename}
      onClose={onClose}
    >
      <Field
        label="Name of the passkey"
        inputRef={field}
        value={name}
        error={isNameless && !name.trim() ? 'A name is required' : undefined}
        maxLength={PASSKEY_LIMITS.nameMax}
        autoComplete="off"
        dir="auto"
        onValue={setName}
      />
    </WayDialog>
  )
}
