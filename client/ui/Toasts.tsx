import { Check, CircleAlert, Info, X } from 'lucide-react'
import { Toast } from 'radix-ui'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { dismissToast, dropToasts, type Toast as Shown, toastStore } from './toast.ts'

const SHOWN_MS = 5000
/** Time to think about what can be taken back or done instead. */
const ACTION_MS = 10_000
const LEAVING_MS = 200
/** What announces another address: the first of the browser, the second of the router. */
const MOVES = ['popstate', 'pushState']
const ICONS = { plain: Info, good: Check, bad: CircleAlert }

export function Toasts() {
  const toast = useStore(toastStore, ({ queue }) => queue[0])
  useDroppedByActions()
  return (
    // An open dialog hides everything except live regions from screen readers. The attribute keeps toasts readable.
    <div aria-live="off">
      <Toast.Provider duration={SHOWN_MS} swipeDirection="right" swipeThreshold={50} label="Notification">
        {toast && <One key={toast.id} toast={toast} />}
        <Toast.Viewport className="toasts" hotkey={['F8']} />
      </Toast.Provider>
    </div>
  )
}

/** Drops older toasts when the person submits a form, presses a button or link, or comes to another screen by any way. */
function useDroppedByActions() {
  useEffect(() => {
    const press = ({ target }: Event) => {
      const pressed = target instanceof Element && target.closest('button, a[href], [role="menuitem"]')
      if (pressed && !pressed.closest('.toasts')) dropToasts()
    }
    // A chat that is left because of an act may be left after its toast has come.
    const drop = ({ type }: Event) => dropToasts(type !== 'submit')
    document.addEventListener('click', press, true)
    document.addEventListener('submit', drop, true)
    for (const moved of MOVES) addEventListener(moved, drop)
    return () => {
      document.removeEventListener('click', press, true)
      document.removeEventListener('submit', drop, true)
      for (const moved of MOVES) removeEventListener(moved, drop)
    }
  }, [])
}

function One({ toast }: { toast: Shown }) {
  const [isOpen, setOpen] = useState(true)
  useEffect(() => {
    if (isOpen) return
    const timer = setTimeout(() => dismissToast(toast.id), LEAVING_MS)
    return () => clearTimeout(timer)
  }, [isOpen, toast.id])
  const Icon = ICONS[toast.tone]
  const isError = toast.tone === 'bad'
  // The role announces an error. Without the exclusion Radix would announce it a second time.
  const alert = isError ? { role: 'alert', 'data-radix-toast-announce-exclude': '' } : {}
  return (
    <Toast.Root
      className={`toast ${toast.tone}`}
      open={isOpen}
      onOpenChange={setOpen}
      duration={toast.action ? ACTION_MS : SHOWN_MS}
    >
      <Icon className="i" aria-hidden />
      <div {...alert}>
        <Toast.Title asChild>
          <b>{toast.title}</b>
        </Toast.Title>
        <Toast.Description className="t2">{toast.text}</Toast.Description>
      </div>
      {toast.action && (
        <Toast.Action className="btn compact outline" altText={toast.action.words} onClick={toast.action.run}>
          {toast.action.words}
        </Toast.Action>
      )}
      <Toast.Close className="icon-btn tight" aria-label="Dismiss">
        <X className="i i-16" aria-hidden />
      </Toast.Close>
    </Toast.Root>
  )
}
