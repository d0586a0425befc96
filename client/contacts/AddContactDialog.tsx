import { type FormEvent, useRef, useState } from 'react'
import { CryptoFailure } from '../crypto/crypto.ts'
import { ApiError } from '../net/api.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { addContact } from './contacts.ts'

export function AddContactDialog({ onClose }: { onClose: () => void }) {
  const env = useEnv()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const [isPending, setPending] = useState(false)
  const isEmpty = text.trim().replace(/^@/, '') === ''

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isEmpty || isPending) return
    setPending(true)
    try {
      await addContact(env, text.trim())
      showToast({ tone: 'good', title: 'Contact added', text: 'The contact has been added successfully.' })
      onClose()
    } catch (failure) {
      const isSaid = failure instanceof ApiError || failure instanceof CryptoFailure
      setError(isSaid ? failureWords(failure) : 'Failed to add contact')
      setPending(false)
      field.current?.focus()
    }
  }

  return (
    <Dialog
      title="Add by Username/Onion"
      text="They see a request from your username, and nothing else of you until they accept."
      onClose={onClose}
    >
      <form onSubmit={submit}>
        <Field
          label="Username or onion address"
          inputRef={field}
          value={text}
          error={error}
          onValue={(value) => {
            setText(value)
            setError(undefined)
          }}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
        />
        <footer>
          <button type="button" className="btn outline" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn primary" disabled={isEmpty || isPending}>
            {isPending ? 'Adding...' : 'Add Contact'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
