import { CircleAlert, CloudOff, LockKeyhole } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { User } from '../../../contract/account/account.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { useOnline } from '../../ui/useOnline.tsx'
import type { LockStanding, VaultWays } from '../../worker/crypto.ts'
import { LogoutDialog } from '../account/LogoutDialog.tsx'
import type { StoredUser } from '../account/storedUser.ts'
import { AuthFrame } from '../signin/AuthFrame.tsx'
import { addBrowserAnew } from '../signin/signin.ts'
import { offlineWaysOf, standingOf } from './browserlock.ts'
import { countArrivals } from './countArrivals.ts'
import { startWhenReached } from './startWhenReached.ts'
import { Unlock } from './Unlock.tsx'
import { openWithOthers, unlock, unlockOffline } from './unlock.ts'
import './browserlock.css'

interface Props {
  who: StoredUser
  /** null while the server could not be asked who is signed in. */
  user: User | null
  ring?: ReactNode
}

/** Replaces the messenger while this browser is locked. Shows only the number of unread messages [Note: V3]. */
export function LockScreen({ who, user, ring }: Props) {
  const env = useEnv()
  const [standing, setStanding] = useState<LockStanding | null>()
  const [offline, setOffline] = useState<VaultWays | null>()
  const [unread, setUnread] = useState<number>()
  const [isReached, setReached] = useState(true)
  const isAway = user === null || !isReached
  const [isLeaving, setLeaving] = useState(false)
  const [failure, setFailure] = useState<string>()
  const title = useRef<HTMLHeadingElement>(null)
  const fail = useCallback((error: unknown) => setFailure(failureWords(error)), [])
  useEffect(() => title.current?.focus(), [])
  useEffect(() => {
    if (!user) return startWhenReached(env, fail)
    return countArrivals(env, { unread: setUnread, reached: setReached })
  }, [env, user, fail])
  useEffect(() => {
    openWithOthers(env, who, user).catch(fail)
  }, [env, who, user, fail])
  useEffect(() => {
    standingOf(env, who.id).then(setStanding, fail)
    offlineWaysOf(env, who.id).then(setOffline, fail)
  }, [env, who, fail])
  const isOpenable = isAway && offline

  async function addAnew() {
    try {
      await addBrowserAnew(env)
    } catch (error) {
      fail(error)
    }
  }

  return (
    <AuthFrame>
      <title>Conclave</title>
      <section className="lock-screen" aria-label={standing === null ? 'No connection' : 'Locked'}>
        <h1 ref={title} tabIndex={-1}>
          {standing === null && isAway ? 'No connection' : 'Locked'}
        </h1>
        <p className="who">
          <LockKeyhole className="i" aria-hidden />
          <span dir="auto">@{who.username}</span>
        </p>
        <p className="t2" role="status">
          {isAway ? '' : unreadWords(unread)}
        </p>
        {ring}
        {isAway && offline !== undefined && <Away isOpenable={offline !== null} />}
        {failure && (
          <Note icon={CircleAlert} tone="danger" role="alert">
            {failure}
          </Note>
        )}
        {isOpenable ? (
          <Unlock ways={offline} open={(entry) => unlockOffline(env, who, entry)} />
        ) : (
          user && standing && <Unlock ways={standing} open={(entry) => unlock(env, user, entry)} />
        )}
        {!isAway && (
          <details>
            <summary>It does not open</summary>
            <p>
              If you changed your password on another browser, this one still opens with the password from before, or with your
              passkey.
            </p>
            <p>
              With neither at hand, sign in and add this browser anew. The keys that are locked here stay, sealed, with what you
              had not sent; your other messages come back from your history.
            </p>
            <button type="button" className="btn outline" onClick={() => void addAnew()}>
              Add this browser anew
            </button>
          </details>
        )}
        {standing && (
          <p className="small t2">
            The lock does not cover copies of this profile from before it was switched on, nor what stays in this computer’s
            memory for a while.
          </p>
        )}
        <button type="button" className="btn quiet wide" onClick={() => setLeaving(true)}>
          Logout
        </button>
      </section>
      {isLeaving && <LogoutDialog isLocked={standing !== null} onClose={() => setLeaving(false)} />}
    </AuthFrame>
  )
}

function Away({ isOpenable }: { isOpenable: boolean }) {
  const isOnline = useOnline()
  return (
    <Note icon={CloudOff} role="status">
      <strong>{isOnline ? 'The server cannot be reached.' : 'You are offline.'}</strong>{' '}
      {isOpenable
        ? 'This browser opens all the same, with what it has: you can read, and what you type is kept. Sending waits for the connection.'
        : 'You cannot open this browser now: the server keeps a part of the key. Nothing is lost. What you had read, written and not yet sent is kept here, sealed. It can be made to open without a connection in Settings, under Security.'}{' '}
      This page goes on by itself as soon as there is a connection.
    </Note>
  )
}

function unreadWords(count: number | undefined): string {
  if (count === undefined) return ''
  if (count === 0) return 'No unread messages.'
  return count === 1 ? '1 unread message.' : `${count > 999 ? 'More than 999' : count} unread messages.`
}
