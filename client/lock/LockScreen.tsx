import { CircleAlert, CloudOff, Fingerprint, LockKeyhole } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account.ts'
import { LogoutDialog } from '../account/LogoutDialog.tsx'
import { passkeysWork } from '../account/passkeyshere.ts'
import { CryptoFailure, type LockEntry, type LockStanding } from '../crypto/crypto.ts'
import { connectionStore } from '../net/status.ts'
import { AuthFrame } from '../signin/AuthFrame.tsx'
import { addBrowserAnew } from '../signin/signin.ts'
import { useEnv, useNow } from '../ui/env.tsx'
import { PasswordField } from '../ui/Field.tsx'
import { failureWords } from '../ui/failure.ts'
import { Note } from '../ui/Note.tsx'
import { countArrivals } from './arrivals.ts'
import { openWithOthers, passkeyEntry, secondsToWait, standingOf, unlock } from './lock.ts'
import './lock.css'

/** Replaces the messenger while this browser is locked. Shows only the number of unread messages [Note: V3]. */
export function LockScreen({ user }: { user: User }) {
  const env = useEnv()
  const [standing, setStanding] = useState<LockStanding | null>()
  const [unread, setUnread] = useState<number>()
  const isAway = useAway()
  const [isLeaving, setLeaving] = useState(false)
  const [failure, setFailure] = useState<string>()
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  useEffect(() => countArrivals(env, setUnread), [env])
  useEffect(() => {
    openWithOthers(env, user).catch((error: unknown) => setFailure(failureWords(error)))
  }, [env, user])
  useEffect(() => {
    standingOf(env, user.id).then(setStanding, (error: unknown) => setFailure(failureWords(error)))
  }, [env, user.id])

  async function addAnew() {
    try {
      await addBrowserAnew(env)
    } catch (error) {
      setFailure(failureWords(error))
    }
  }

  return (
    <AuthFrame>
      <title>Conclave</title>
      <section className="lock-screen" aria-label="Locked">
        <h1 ref={title} tabIndex={-1}>
          Locked
        </h1>
        <p className="who">
          <LockKeyhole className="i" aria-hidden />
          <span dir="auto">@{user.username}</span>
        </p>
        <p className="t2" role="status">
          {isAway ? '' : unreadWords(unread)}
        </p>
        {isAway && (
          <Note icon={CloudOff} role="status">
            <strong>The server cannot be reached.</strong> It keeps a part of the key that opens this browser: you can unlock as
            soon as there is a connection. Nothing is lost. What you had written and not yet sent is kept here, sealed.
          </Note>
        )}
        {failure && (
          <Note icon={CircleAlert} tone="danger" role="alert">
            {failure}
          </Note>
        )}
        {standing && <Unlock user={user} standing={standing} />}
        <details>
          <summary>It does not open</summary>
          <p>
            If you changed your password on another browser, this one still opens with the password from before, or with your
            passkey.
          </p>
          <p>
            With neither at hand, sign in and add this browser anew. The keys that are locked here stay, sealed, with what you had
            not sent; your other messages come back from your history.
          </p>
          <button type="button" className="btn outline" onClick={() => void addAnew()}>
            Add this browser anew
          </button>
        </details>
        <p className="small t2">
          The lock does not cover copies of this profile from before it was switched on, nor what stays in this computer's memory
          for a while.
        </p>
        <button type="button" className="btn quiet wide" onClick={() => setLeaving(true)}>
          Log out
        </button>
      </section>
      {isLeaving && <LogoutDialog onClose={() => setLeaving(false)} />}
    </AuthFrame>
  )
}

/** Longer than the pause between two attempts to connect. */
const AWAY_MS = 4000

/** True while the server has not been reached for a while. */
function useAway(): boolean {
  const isOpen = useStore(connectionStore, ({ phase }) => phase === 'open')
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    if (isOpen) return setAway(false)
    const timer = setTimeout(() => setAway(true), AWAY_MS)
    return () => clearTimeout(timer)
  }, [isOpen])
  return isAway
}

function unreadWords(count: number | undefined): string {
  if (count === undefined) return ''
  if (count === 0) return 'No unread messages.'
  return count === 1 ? '1 unread message.' : `${count > 999 ? 'More than 999' : count} unread messages.`
}

function Unlock({ user, standing }: { user: User; standing: LockStanding }) {
  const env = useEnv()
  useNow(1000)
  const form = useRef<HTMLFormElement>(null)
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const [pending, setPending] = useState<'password' | 'passkey'>()
  const wait = secondsToWait(env)
  const hasPasskey = standing.passkeyIds.length > 0
  const isPasskeyOnly = standing.passwordSalt === null

  async function open(kind: 'password' | 'passkey', entryOf: () => Promise<LockEntry>) {
    if (pending) return
    setPending(kind)
    setError(undefined)
    setFailure(undefined)
    try {
      await unlock(env, user, await entryOf())
    } catch (reason) {
      setPending(undefined)
      const isWrong = reason instanceof CryptoFailure && reason.code === 'lock_secret'
      if (isWrong && kind === 'password') setError('Wrong password')
      else setFailure(isWrong ? 'This passkey does not open the lock of this browser.' : failureWords(reason))
      requestAnimationFrame(() => form.current?.querySelector('input')?.focus())
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (wait > 0) return
    if (!password) return setError('Password is required')
    void open('password', async () => ({ password }))
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
          onClick={() => void open('passkey', () => passkeyEntry(standing))}
        >
          <Fingerprint className="i" aria-hidden />
          {pending === 'passkey' ? 'Waiting for the passkey...' : 'Unlock with a passkey'}
        </button>
      )}
      {hasPasskey && !passkeysWork() && <p className="small t2">Passkeys do not work in this browser or at this address.</p>}
    </form>
  )
}
