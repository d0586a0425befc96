import type { FormEvent } from 'react'
import { PasswordField } from '../../ui/Field.tsx'
import { usePassword } from '../../ui/usePassword.tsx'

/** Asks for the password after a sign-in by a passkey that opens no keys. */
export function OpenByPassword({ isPending, onOpen }: { isPending: boolean; onOpen: (password: string) => void }) {
  const { password, setError, field } = usePassword()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    if (!password) return setError('Password is required')
    onOpen(password)
  }

  return (
    <form onSubmit={submit} noValidate>
      <PasswordField label="Password" {...field} />
      <button type="submit" className="btn primary large wide" disabled={isPending}>
        {isPending ? 'Opening...' : 'Open with the password'}
      </button>
    </form>
  )
}
