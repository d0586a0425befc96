import { lazy, Suspense, useEffect } from 'react'
import { useStore } from 'zustand'
import { accountStore } from '../me/account/accountState.ts'
import { readUser } from '../me/account/storedUser.ts'
import { Toasts } from '../ui/Toasts.tsx'
import { showToast } from '../ui/toast.ts'
import { Shell } from './Shell.tsx'

const Door = lazy(async () => ({ default: (await import('../me/door/Door.tsx')).Door }))

/** The toasts, what is told by them on every screen, and what stands in the place of every screen. */
export function Notices() {
  const isShut = useStore(accountStore, ({ phase }) => phase === 'door')
  useEffect(() => {
    // What was dropped while this code was loading.
    tellUntaken()
    addEventListener('drop', tellUntaken)
    return () => removeEventListener('drop', tellUntaken)
  }, [])
  return (
    <>
      {isShut && (
        <Suspense fallback={<Shell />}>
          <Door hasAccount={readUser() !== undefined} />
        </Suspense>
      )}
      <Toasts />
    </>
  )
}

/**
 * Tells of files that were dropped where nothing takes them: client/early.js has kept the browser on the page, and noted it. Whoever takes
 * files stops their event.
 */
function tellUntaken(): void {
  const { early } = globalThis
  if (!early?.untaken) return
  early.untaken = false
  showToast({ tone: 'bad', title: 'Not taken here', text: 'To send files, drop them on an open chat, with no dialog over it.' })
}
