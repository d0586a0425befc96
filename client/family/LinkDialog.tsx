import type { Invitation } from '../../contract/family.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Qr } from '../ui/Qr.tsx'
import { moment } from '../ui/time.ts'
import { useCopy } from '../ui/useCopy.tsx'

/** The link of an open invitation, to be passed on. */
export function LinkDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const link = `${location.origin}/invitation/${invitation.invitationToken}`
  const { isCopied, copy } = useCopy(link)
  return (
    <Dialog
      title="Invitation link"
      text={`Whoever opens it first can join, until ${moment(new Date(invitation.expiresAt))}. Nothing was sent: pass it on yourself.`}
      onClose={onClose}
    >
      <div className="link">
        <Qr text={link} label="QR code of the invitation link" />
        <p className="mono small" data-link>
          {link}
        </p>
      </div>
      <footer>
        <button type="button" className="btn outline" onClick={onClose}>
          Close
        </button>
        <button type="button" className="btn primary" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy link'}
        </button>
      </footer>
      <span className="sr" role="status">
        {isCopied && 'Copied'}
      </span>
    </Dialog>
  )
}
