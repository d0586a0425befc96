import { familyApi, type Invitation } from '../../../contract/account/family.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { Qr } from '../../ui/Qr.tsx'
import { moment } from '../../ui/time.ts'
import { useAct } from '../../ui/useAct.tsx'
import { useCopy } from '../../ui/useCopy.tsx'
import { deliveryLine } from './familyWords.ts'

interface Props {
  invitation: Invitation
  sendsMail: boolean
  onMailed: (invitation: Invitation) => void
  onClose: () => void
}

/** The link of an open invitation, to be passed on or mailed once more. */
export function LinkDialog({ invitation, sendsMail, onMailed, onClose }: Props) {
  const env = useEnv()
  const { act, isPending } = useAct()
  const link = `${location.origin}/invitation/${invitation.invitationToken}`
  const { isCopied, copy } = useCopy(link)

  async function mailAgain() {
    const mailed = await act({
      run: () => env.api(familyApi.mail, { invitationId: invitation.id }),
      failed: 'The mail was not sent',
    })
    if (mailed) onMailed(mailed)
  }

  return (
    <Dialog
      title="Invitation link"
      text={`Whoever opens it first can join, until ${moment(new Date(invitation.expiresAt))}.`}
      onClose={onClose}
    >
      <div className="link">
        <p role="status">{deliveryLine(invitation)}</p>
        <Qr text={link} label="QR code of the invitation link" />
        <p className="mono small" data-link>
          {link}
        </p>
      </div>
      <footer>
        {sendsMail && invitation.inviteeEmail && (
          <button type="button" className="btn outline" disabled={isPending} onClick={() => void mailAgain()}>
            {isPending ? 'Sending...' : 'Send the mail again'}
          </button>
        )}
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
