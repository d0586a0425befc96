import { type FormEvent, useState } from 'react'
import { PasswordField } from '../ui/Field.tsx'

/** Asks for the password after a sign-in by a passkey that opens no keys. */
export function OpenByPassword({ isPending, onOpen }: { isPending: boolean; onOpen: (password: string) => void }) {
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    if (!password) return setError('Password is required')
    onOpen(password)
  }

  return (
    <form onSubmit={submit} noValidate>
      <PasswordField
        label="Password"
        autoComplete="current-password"
        value={password}
        error={error}
        onValue={(typed) => {
          setPassword(typed)
          setError(undefined)
        }}
      />
      <button type="submit" className="btn primary large wide" disabled={isPending}>
        {isPending ? 'Opening...' : 'Open with the password'}
      </button>
    </form>
  )
}
