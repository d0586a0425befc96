import { lazy, Suspense, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { accountStore } from '../me/account/accountState.ts'
import { readEnded, readUser } from '../me/account/storedUser.ts'
import { Boundary } from '../ui/Boundary.tsx'
import { later } from '../ui/later.tsx'
import { firstFrame } from './early.ts'
import { Shell } from './Shell.tsx'

// The messenger's code is loaded while the password is being stretched, which makes signing in faster.
const loadMessenger = () => import('./Messenger.tsx')
const loadAll = () => void Promise.all([loadMessenger(), import('./session.ts')]).catch(() => undefined)
const AuthScreen = later(async () => (await import('../me/signin/AuthScreen.tsx')).AuthScreen, Shell)
/** Resolves also where the form did not load: it says so in its place. */
export const loadForm = AuthScreen.preload
const Notices = lazy(async () => ({ default: (await import('./Notices.tsx')).Notices }))
const KitStep = lazy(async () => ({ default: (await import('../me/signin/KitStep.tsx')).KitStep }))
const LockScreen = lazy(async () => ({ default: (await import('../me/browserlock/LockScreen.tsx')).LockScreen }))
const InvitedBy = later(async () => (await import('../plan/family/InvitedBy.tsx')).InvitedBy)
const LockedRing = lazy(async () => ({ default: (await import('../chat/calls/LockedRing.tsx')).LockedRing }))
const Messenger = lazy(async () => ({ default: (await loadMessenger()).Messenger }))

/** True if the address asks for Sign In, as the landing's link does, or the person has chosen it in the static form. */
const isSignInAsked = () =>
  new URLSearchParams(location.search).get('tab') === 'signin' || document.documentElement.dataset['tab'] === 'signin'

/** Gives the focus to the title of the page, where the form that had it has gone. */
function Arrival() {
  useEffect(() => {
    const title = document.querySelector('h1')
    if (!title || document.activeElement !== document.body) return
    title.tabIndex = -1
    title.focus()
  }, [])
  return null
}

export function App() {
  const { phase, user, notice, isNew } = useStore(accountStore)
  const [isReturning, setReturning] = useState(() => readEnded() !== undefined || isSignInAsked())
  const isShut = phase === 'locked' || phase === 'away'
  const [wasHere] = useState(readUser)
  const who = user ?? wasHere
  if ((phase === 'signed_in' || isShut) && !isReturning) setReturning(true)
  // The form can be filled in before the server has said that nobody is signed in.
  const isForm = phase === 'signed_out' || (phase === 'starting' && firstFrame() === 'form')
  useEffect(() => {
    if (firstFrame() === 'app') loadAll()
  }, [])
  return (
    <>
      <Boundary isPage key={isForm ? 'signed_out' : isShut ? 'locked' : phase}>
        {phase === 'starting' && !isForm && <Shell />}
        {isForm && (
          <AuthScreen
            notice={notice}
            isReturning={isReturning}
            Invitation={location.pathname.startsWith('/invitation/') ? InvitedBy : undefined}
            onSubmit={loadAll}
          />
        )}
        {isShut && who && (
          <Suspense fallback={<Shell />}>
            <LockScreen
              who={who}
              user={user}
              ring={
                <Suspense>
                  <LockedRing />
                </Suspense>
              }
            />
          </Suspense>
        )}
        {phase === 'signed_in' && (
          <Suspense fallback={<Shell />}>
            {isNew && user ? (
              <KitStep user={user} />
            ) : (
              <>
                <Messenger />
                <Arrival />
              </>
            )}
          </Suspense>
        )}
      </Boundary>
      <Suspense>
        <Notices />
      </Suspense>
    </>
  )
}
