import { CircleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { Note } from '../../ui/Note.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { showPaid } from './askedIn.ts'
import { changePlan, type FramePayment } from './plans.ts'
import { useAct } from './usePlans.tsx'
import './checkout.css'

/** The page in the frame, and after it the provider's form, has loaded within this time; the page answers within the other. */
const LOAD_MS = 30_000
const ANSWER_MS = 3000

interface Props {
  payment: FramePayment
  onClose: () => void
}

/**
 * The provider's form, in a frame of another origin: none of its scripts runs in this page. What the frame says is never believed: once it
 * says that it is done, the server is asked.
 */
export function CheckoutDialog({ payment: { frameUrl, clientSecret, wanted }, onClose }: Props) {
  const env = useEnv()
  const frame = useRef<HTMLIFrameElement>(null)
  const [state, setState] = useState<'loading' | 'loaded' | 'begun' | 'ready' | 'failed'>('loading')
  const { pending, act } = useAct('Payment Error', 'Failed to initiate payment')
  const { origin } = new URL(frameUrl)

  useEffect(() => {
    function onMessage({ source, origin: from, data }: MessageEvent<{ type?: unknown } | null>) {
      if (source !== frame.current?.contentWindow || from !== origin) return
      if (data?.type === 'begun' || data?.type === 'ready' || data?.type === 'failed') setState(data.type)
      if (data?.type !== 'completed') return
      onClose()
      showPaid()
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [origin, onClose])

  useEffect(() => {
    if (state === 'ready' || state === 'failed') return
    const timer = setTimeout(() => setState('failed'), state === 'loaded' ? ANSWER_MS : LOAD_MS)
    return () => clearTimeout(timer)
  }, [state])

  function begin() {
    setState('loaded')
    frame.current?.contentWindow?.postMessage({ clientSecret }, origin)
  }
  // It closes the checkout of the frame, which cannot be paid then.
  const leave = () =>
    act('leave', async () => {
      await changePlan(env, wanted, false)
      onClose()
    })

  return (
    <Dialog title="Payment by card" onClose={onClose}>
      {state === 'failed' ? (
        <Note icon={CircleAlert} tone="danger" role="alert">
          Failed to load checkout
        </Note>
      ) : (
        <div className="checkout-frame" aria-busy={state !== 'ready'}>
          <iframe
            className={state === 'ready' ? '' : 'unseen'}
            ref={frame}
            title="Payment by card"
            src={frameUrl}
            onLoad={begin}
            referrerPolicy="no-referrer"
            sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
          />
          {state !== 'ready' && <Spinner words="Loading checkout" isVisible />}
        </div>
      )}
      <footer>
        <button type="button" className={`btn ${state === 'failed' ? 'primary' : 'outline'}`} onClick={onClose}>
          {state === 'failed' ? 'Close and Try Again' : 'Cancel'}
        </button>
        <button type="button" className="btn outline" disabled={pending !== undefined} onClick={leave}>
          {pending ? 'Processing...' : 'Pay at the provider’s page'}
        </button>
      </footer>
    </Dialog>
  )
}
