import { CircleAlert, Globe } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Session } from '../../../contract/account/sessions.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv, useNow } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { Part } from '../../ui/Part.tsx'
import { lastSeen, moment } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import { Devices } from '../devices/Devices.tsx'
import { shownDevices } from '../devices/deviceList.ts'
import { byDevice, endOthers, endSessions, loadSessions, resetSessions } from './sessions.ts'
import './sessions.css'
import { browserWords, ingressWords } from './sessionWords.ts'
import { sessionsStore } from './store.ts'

/** The account's browsers, each with its sessions, and the sessions that belong to none of them. */
export function SessionsPage({ onChangePassword }: { onChangePassword: () => void }) {
  const env = useEnv()
  const place = useRef<HTMLDivElement>(null)
  const { status, failure, sessions } = useStore(sessionsStore)
  const devices = useStore(shownDevices, (state) => state.devices)
  const { of, others } = byDevice(
    sessions,
    devices.map(({ id }) => id),
  )
  const count = sessions.filter(({ isCurrent }) => !isCurrent).length
  const isReady = status === 'ready'
  useEffect(() => {
    const load = () => void loadSessions(env)
    load()
    const offs = [env.socket.on('account', load), env.socket.on('hello', load)]
    return () => {
      for (const off of offs) off()
      resetSessions()
    }
  }, [env])

  async function end(ended: Session[]) {
    try {
      await endSessions(
        env,
        ended.map(({ id }) => id),
      )
      // The pressed button has been removed.
      place.current?.focus()
    } catch (error) {
      showToast({ tone: 'bad', title: 'The session was not ended', text: failureWords(error) })
    }
  }

  return (
    <section ref={place} className="sessions" tabIndex={-1} aria-label="Sessions and devices">
      {failure && (
        <Note icon={CircleAlert} role="alert">
          {failure.replace(/[.]?$/, '.')} {isReady ? 'The sessions may be out of date.' : 'The sessions are not known.'}{' '}
          <button type="button" className="linkish" onClick={() => void loadSessions(env)}>
            Try again
          </button>
        </Note>
      )}
      <Devices
        sessionOf={(id) => {
          const own = of.get(id) ?? []
          return isReady ? <SessionLines sessions={own} /> : undefined
        }}
        signOutOf={(id) => {
          const own = (of.get(id) ?? []).filter(({ isCurrent }) => !isCurrent)
          return own.length === 0 ? undefined : () => end(own)
        }}
        onChangePassword={onChangePassword}
      />
      <Part
        id="sessions"
        title="Sessions without keys"
        text="Signed in with the password or the kit alone. They can read nothing sealed."
      >
        {isReady ? <OtherSessions sessions={others} onEnd={end} /> : !failure && <Loading />}
      </Part>
      <Part id="end" title="End all others" text="Every other browser signs in again. None loses its keys.">
        <EndOthers count={count} isReady={isReady} focusNext={() => place.current?.focus()} />
      </Part>
    </section>
  )
}

/** Usually one. */
function SessionLines({ sessions }: { sessions: Session[] }) {
  const now = useNow(60_000)
  if (sessions.length === 0) return <p>Signed out</p>
  return sessions.map((session) => <p key={session.id}>Signed in: {sessionWords(session, now)}</p>)
}

function sessionWords(session: Session, now: Date): string {
  const seen = session.isCurrent ? 'active now' : `last seen ${lastSeen(new Date(session.lastSeenAt), now)}`
  return `${browserWords(session)} · ${ingressWords(session)} · first seen ${moment(new Date(session.firstSeenAt))} · ${seen}`
}

interface OthersProps {
  sessions: Session[]
  onEnd: (sessions: Session[]) => Promise<void>
}

function OtherSessions({ sessions, onEnd }: OthersProps) {
  const now = useNow(60_000)
  if (sessions.length === 0) return <p className="small t2">None.</p>
  return (
    <ul className="lines" aria-label="Sessions without keys">
      {sessions.map((session) => {
        const name = browserWords(session)
        const [, ...rest] = sessionWords(session, now).split(' · ')
        return (
          <li key={session.id}>
            <Globe className="i" aria-hidden />
            <div>
              <b dir="auto">{name}</b>
              <p>{rest.join(' · ')}</p>
              {session.deviceId !== null && <p>Its browser is not on your signed list.</p>}
            </div>
            <div className="acts">
              <button
                type="button"
                className="btn compact outline"
                aria-label={`End the session of ${name}`}
                onClick={() => void onEnd([session])}
              >
                End
              </button>
            </div>
          </li>
        )
      })}
    </ul>
  )
}

function EndOthers({ count, isReady, focusNext }: { count: number; isReady: boolean; focusNext: () => void }) {
  const env = useEnv()
  const [isAsking, setAsking] = useState(false)
  const [isPending, setPending] = useState(false)

  async function end() {
    setPending(true)
    try {
      await endOthers(env)
      focusNext()
    } catch (error) {
      showToast({ tone: 'bad', title: 'The others were not ended', text: failureWords(error) })
    } finally {
      setPending(false)
      setAsking(false)
    }
  }

  if (isReady && count === 0) return <p className="small t2">This is the only session.</p>
  return (
    <div className="acts">
      <button type="button" className="btn outline" disabled={!isReady} onClick={() => setAsking(true)}>
        End all others
      </button>
      {isAsking && (
        <AlertDialog
          title="End all other sessions?"
          text="They are signed out at once, and sign in again with your password."
          action="End them"
          pendingAction="Ending..."
          isPending={isPending}
          onConfirm={() => void end()}
          onCancel={() => setAsking(false)}
        >
          <p className="small t2">
            What a browser has stored stays there, sealed. One that somebody else holds: remove it instead. If somebody else knows
            your password, change it.
          </p>
        </AlertDialog>
      )}
    </div>
  )
}

function Loading() {
  return (
    <div role="status">
      <span className="sr">Loading your sessions...</span>
      <div className="skel late" aria-hidden="true" />
    </div>
  )
}
