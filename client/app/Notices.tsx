import { useEffect } from 'react'
import { Toasts } from '../ui/Toasts.tsx'
import { showToast } from '../ui/toast.ts'

/** The toasts, and what is told by them on every screen. */
export function Notices() {
  useEffect(() => {
    // What was dropped while this code was loading.
    tellUntaken()
    addEventListener('drop', tellUntaken)
    return () => removeEventListener('drop', tellUntaken)
  }, [])
  return <Toasts />
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
