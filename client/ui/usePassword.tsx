import { useState } from 'react'

/** The password of a form that asks for one before an act, and what is wrong with it. `field` are the properties of its field. */
export function usePassword() {
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const field = {
    autoComplete: 'current-password',
    value: password,
    error,
    onValue: (typed: string) => {
      setPassword(typed)
      setError(undefined)
    },
  } as const
  return { password, error, setError, field }
}
