import { type FormEvent, useState } from 'react'
import { transactionHash } from '../../contract/money/coinreviews.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { VERBATIM } from '../ui/verbatim.ts'

interface Props {
  title: string
  text: string
  isPending: boolean
  onSend: (hash: string) => void
  onClose: () => void
}

/** Asks for the transaction by which money was sent back. */
export function SentBack({ title, text, isPending, onSend, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string>()

  function submit(event: FormEvent) {
    event.preventDefault()
    const read = transactionHash.safeParse(typed.trim())
    if (read.success) onSend(read.data)
    else setError(read.error.issues[0]?.message)
  }

  return (
    <Dialog title={title} text={text} onClose={() => isPending || onClose()}>
      <form onSubmit={submit} noValidate>
        <Field
          label="Transaction of the refund"
          value={typed}
          error={error}
          maxLength={100}
          {...VERBATIM}
          onValue={(value) => {
            setTyped(value)
            setError(undefined)
          }}
        />
        <FormFooter action="Note the refund" pendingAction="Working..." isPending={isPending} onClose={onClose} />
      </form>
    </Dialog>
  )
}
