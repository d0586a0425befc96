import { LIMITS } from '../../../contract/ground/limits.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import type { Person } from '../../rooms/trust/people.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { FieldForm } from '../../ui/FieldForm.tsx'
import { failureWords } from '../../ui/failure.ts'
import { nameContact } from './alias.ts'

/** Asks for the person's alias. It lies in the sealed book. */
export function NameContact({ person, onClose }: { room: RoomRow; person: Person; onClose: () => void }) {
  const env = useEnv()

  async function name(typed: string) {
    try {
      await nameContact(env, person.id, typed)
    } catch (error) {
      return `The name was not kept. ${failureWords(error)}`
    }
    onClose()
  }

  return (
    <Dialog title={`Name for @${person.username}`} text="Only your own browsers can read it." onClose={onClose}>
      <FieldForm
        label="Name"
        rule={`at most ${LIMITS.displayNameMax} characters`}
        help={<p className="help">Leave it empty for their own name.</p>}
        initial={person.alias ?? ''}
        placeholder={person.displayName}
        action="Save"
        pendingAction="Saving..."
        mayBeEmpty
        maxLength={LIMITS.displayNameMax}
        dir="auto"
        onSubmit={name}
        onClose={onClose}
      />
    </Dialog>
  )
}
