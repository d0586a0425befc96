import { lazy, Suspense, useState } from 'react'
import { useStore } from 'zustand'
import { AuthScreen } from '../account/AuthScreen.tsx'
import { accountStore } from '../account/store.ts'
import { Boundary } from '../ui/Boundary.tsx'
import { Spinner } from '../ui/Spinner.tsx'

// Signing in must be quick: the messenger arrives while the password is being stretched.
const loadMessenger = () => import('./Messenger.tsx')
const Toasts = lazy(async () => ({ default: (await import('../ui/Toasts.tsx')).Toasts }))
const Messenger = lazy(async () => ({ default: (await loadMessenger()).Messenger }))

export function App() {
  const { phase, notice } = useStore(accountStore)
  const [isReturning, setReturning] = useState(false)
  if (phase === 'signed_in' && !isReturning) setReturning(true)
  return (
    <>
      <Boundary key={phase}>
        {phase === 'starting' && <Spinner words="Loading" />}
        {phase === 'signed_out' && <AuthScreen notice={notice} isReturning={isReturning} onSubmit={loadMessenger} />}
        {phase === 'signed_in' && (
          <Suspense fallback={<Spinner words="Loading" />}>
            <Messenger />
          </Suspense>
        )}
      </Boundary>
      <Suspense>
        <Toasts />
      </Suspense>
    </>
  )
}
