import { CircleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Dialog } from '../../ui/Dialog.tsx'
import { Note } from '../../ui/Note.tsx'
import type { Opener } from '../account/keys.ts'
import { type WayKind, waysHere } from '../account/openingWords.ts'
import { useWays } from '../account/useWays.tsx'
import { WayForm } from './WayForm.tsx'
import './ways.css'

interface Props {
  title: string
  /** Explains the change. */
  text: string
  action: string
  pendingAction: string
  isDangerous?: boolean
  /** The allowed kinds of way in; all by default. */
  only?: readonly WayKind[]
  children?: ReactNode
  /** Makes the change. If it throws, the error is shown beside the field, and the typed text stays. */
  onOpen: (opener: Opener) => Promise<void>
  onClose: () => void
}

/** Asks for a way in to change the account's keys [Note: K1]. The entry is never stored. */
export function WayDialog({ title, text, action, pendingAction, isDangerous, only, children, onOpen, onClose }: Props) {
  const { ways, failure, reload } = useWays()
  const [isPending, setPending] = useState(false)
  const close = () => isPending || onClose()
  const kinds = ways && waysHere(ways).filter((kind) => !only || only.includes(kind))
  return (
    <Dialog title={title} text={text} onClose={close}>
      {kinds && kinds.length > 0 ? (
        <WayForm
          kinds={kinds}
          onOpen={onOpen}
          onClose={close}
          words={isPending ? pendingAction : action}
          isDangerous={isDangerous}
          isPending={isPending}
          setPending={setPending}
        >
          {children}
        </WayForm>
      ) : (
        <Unknown failure={kinds ? NO_WAY : failure} onRetry={kinds ? undefined : reload} onClose={onClose} />
      )}
    </Dialog>
  )
}

const NO_WAY = 'Only a passkey opens this account, and passkeys do not work in this browser or at this address.'

function Unknown({
  failure,
  onRetry,
  onClose,
}: {
  failure: string | null
  onRetry: (() => void) | undefined
  onClose: () => void
}) {
  return (
    <>
      {failure ? (
        <Note icon={CircleAlert} tone="danger" role="alert">
          {failure}
        </Note>
      ) : (
        <p className="small t2 late" role="status">
          Looking up what opens your account...
        </p>
      )}
      <footer>
        <button type="button" className="btn outline" onClick={onClose}>
          Cancel
        </button>
        {failure && onRetry && (
          <button type="button" className="btn primary" onClick={onRetry}>
            Try again
          </button>
        )}
      </footer>
    </>
  )
}
