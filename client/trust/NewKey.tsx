import { ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import { AlertDialog } from '../ui/AlertDialog.tsx'
import { failureWords } from '../ui/failure.ts'
import { Note } from '../ui/Note.tsx'
import { showToast } from '../ui/toast.ts'
import { nameOf, type Person } from './people.ts'

interface Props {
  person: Person
  onAccept: () => Promise<void>
}

/** Sending is blocked until the person decides for the key that the server names now [Note: I1]. */
export function NewKey({ person, onAccept }: Props) {
  const [isAsking, setAsking] = useState(false)
  const name = nameOf(person)
  return (
    <div className="blocked">
      <Note icon={ShieldAlert} tone="danger" role="alert">
        <strong>
          The key of <bdi>{name}</bdi> has changed.
        </strong>{' '}
        Sending is blocked: somebody may be standing between you. Ask <bdi>{name}</bdi> in another way, face to face or on the
        phone, which onion address is theirs.{' '}
        {person.onionAddress && (
          <button type="button" className="linkish" onClick={() => setAsking(true)}>
            Accept the new key
          </button>
        )}
      </Note>
      {isAsking && person.onionAddress && (
        <Question name={name} address={person.onionAddress} onAccept={onAccept} onClose={() => setAsking(false)} />
      )}
    </div>
  )
}

interface QuestionProps {
  name: string
  address: string
  onAccept: () => Promise<void>
  onClose: () => void
}

function Question({ name, address, onAccept, onClose }: QuestionProps) {
  const [isPending, setPending] = useState(false)

  async function accept() {
    setPending(true)
    try {
      await onAccept()
      onClose()
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'The key was not accepted', text: failureWords(error) })
    }
  }

  return (
    <AlertDialog
      title="Accept the new key?"
      text={`First compare this onion address with the one that ${name} reads to you, face to face or on the phone. If they differ, somebody else holds this key.`}
      action="Accept the new key"
      pendingAction="Accepting..."
      isPending={isPending}
      onConfirm={accept}
      onCancel={onClose}
    >
      <p className="mono new-key">{address}</p>
    </AlertDialog>
  )
}
