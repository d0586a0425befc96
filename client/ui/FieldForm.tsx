import { type ComponentProps, type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { Field } from './Field.tsx'

interface Props extends Omit<ComponentProps<typeof Field>, 'value' | 'error' | 'onValue' | 'inputRef' | 'onSubmit'> {
  initial?: string
  action: string
  /** Text of the action while it runs. */
  pendingAction: string
  /** True if an empty field means something. */
  mayBeEmpty?: boolean
  /** Called where Enter is pressed in an empty field that may not be empty. */
  onEmpty?: () => void
  /** Acts on the text. Returns the words of a failure, which stand at the field; undefined if it has closed the dialog. */
  onSubmit: (text: string) => Promise<string | undefined>
  onClose: () => void
}

/** A form with one field, in a dialog that stays open until the action has ended. */
export function FieldForm(props: Props) {
  const { initial = '', action, pendingAction, mayBeEmpty = false, onEmpty, onSubmit, onClose, ...field } = props
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(initial)
  const [error, setError] = useState<string>()
  const [isPending, setPending] = useState(false)
  const isEmpty = !mayBeEmpty && text.trim().replace(/^@/, '') === ''

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending || isEmpty) return
    setPending(true)
    const failure = await onSubmit(text.trim())
    if (failure === undefined) return
    setError(failure)
    setPending(false)
    input.current?.focus()
  }

  /** A browser sends no form whose button is disabled. */
  function press({ key, target }: KeyboardEvent) {
    if (key === 'Enter' && target === input.current && isEmpty) onEmpty?.()
  }

  return (
    <form onSubmit={submit} onKeyDown={press} noValidate>
      <Field
        autoComplete="off"
        {...field}
        inputRef={input}
        value={text}
        error={error}
        onValue={(value) => {
          setText(value)
          setError(undefined)
        }}
      />
      <footer>
        <button type="button" className="btn outline" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="btn primary" disabled={isEmpty || isPending}>
          {isPending ? pendingAction : action}
        </button>
      </footer>
    </form>
  )
}
