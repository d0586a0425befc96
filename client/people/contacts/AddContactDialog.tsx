import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { FieldForm } from '../../ui/FieldForm.tsx'
import { failureWordsOr } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { addContact } from './contacts.ts'

export function AddContactDialog({ onClose }: { onClose: () => void }) {
  const env = useEnv()

  async function add(text: string) {
    try {
      await addContact(env, text)
    } catch (error) {
      return failureWordsOr(error, 'Failed to add contact')
    }
    showToast({ tone: 'good', title: 'Contact added', text: 'The contact has been added successfully.' })
    onClose()
  }

  return (
    <Dialog
      title="Add by Username/Onion"
      text="They see a request from your username, and nothing else of you until they accept. The onion address of a person is the name of their key: nothing connects to it, not even Tor."
      onClose={onClose}
    >
      <FieldForm
        label="Username or onion address"
        action="Add Contact"
        pendingAction="Adding..."
        autoCapitalize="none"
        spellCheck={false}
        maxLength={100}
        onSubmit={add}
        onClose={onClose}
      />
    </Dialog>
  )
}
