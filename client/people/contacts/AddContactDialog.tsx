import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { FieldForm } from '../../ui/FieldForm.tsx'
import { failureWordsOr } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { addContact } from './contacts.ts'
import { addedWords } from './waitingWords.ts'

export function AddContactDialog({ onClose }: { onClose: () => void }) {
  const env = useEnv()

  async function add(text: string) {
    try {
      const contact = await addContact(env, text)
      showToast({ tone: 'good', ...addedWords('The contact has been added successfully.', contact) })
      onClose()
    } catch (error) {
      return failureWordsOr(error, 'Failed to add contact')
    }
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
