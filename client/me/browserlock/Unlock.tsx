import { CircleAlert, Fingerprint } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useEnv, useNow } from '../../ui/env.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { CryptoFailure, type LockEntry, type VaultWays } from '../../worker/crypto.ts'
import { passkeysWork } from '../account/passkeysWork.ts'
import { passkeyEntry, secondsToWait } from './unlock.ts'

interface Props {
  /** What opens the vault now. */
  ways: VaultWays
  open: (entry: LockEntry) => Promise<void>
}

/** Asks for the password or passkey that opens this browser. */
export function Unlock({ ways, open }: Props) {
  const env = useEnv()
  useNow(1000)
  const form = useRef<HTMLFormElement>(null)
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const [pending, setPending] = useState<'password' | 'passkey'>()
  const wait = secondsToWait(env)
  useEffect(() => form.current?.querySelector<HTMLElement>('input, button')?.focus(), [])
  const hasPasskey = ways.passkeyIds.length > 0
  const isPasskeyOnly = ways.passwordSalt === null

  async function enter(kind: 'password' | 'passkey', entryOf: () => Promise<LockEntry>) {
    if (pending) return
    setPending(kind)
    setError(undefined)
    setFailure(undefined)
    try {
      await open(await entryOf())
    } catch (reason) {
      setPending(undefined)
      const isWrong = reason instanceof CryptoFailure && reason.code === 'lock_secret'
      if (isWrong && kind === 'password') setError('Wrong password')
      else setFailure(isWrong ? 'This passkey does not open this browser.' : failureWords(reason))
      requestAnimationFrame(() => form.current?.querySelector('input')?.focus())
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (wait > 0) return
    if (!password) return setError('Password is required')
    void enter('password', async () => ({ password }))
  }

  return (
    <form ref={form} onSubmit={submit} noValidate>
      {failure && (
        <Note icon={CircleAlert} tone="danger" role="alert">
          {failure}
        </Note>
      )}
      {!isPasskeyOnly && (
        <>
          <PasswordField
            label="Password"
            name="password"
            autoComplete="current-password"
            value={password}
            error={error}
            help={wait > 0 ? <p className="help">Try again in {wait} s.</p> : undefined}
            onValue={(typed) => {
              setPassword(typed)
              setError(undefined)
            }}
          />
          <button type="submit" className="btn primary large wide" disabled={pending !== undefined || wait > 0}>
            {pending === 'password' ? 'Unlocking...' : wait > 0 ? `Wait ${wait} s` : 'Unlock'}
          </button>
        </>
      )}
      {hasPasskey && (
        <button
          type="button"
          className={isPasskeyOnly ? 'btn primary large wide' : 'btn outline large wide'}
          disabled={pending !== undefined || wait > 0 || !passkeysWork()}
          onClick={() => void enter('passkey', () => passkeyEntry(ways))}
        >
          <Fingerprint className="i" aria-hidden />
          {pending === 'passkey' ? 'Waiting for the passkey...' : 'Unlock with a passkey'}
        </button>
      )}
      {hasPasskey && !passkeysWork() && <p className="small t2">Passkeys do not work in this browser or at this address.</p>}
    </form>
  )
}
