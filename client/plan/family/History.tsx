import { CircleCheck, CircleX, Clock, type LucideIcon, QrCode } from 'lucide-react'
import { familyApi, type Invitation } from '../../../contract/account/family.ts'
import { useEnv } from '../../ui/env.tsx'
import { useAct } from '../../ui/useAct.tsx'
import { dateLine, nameOf } from './familyWords.ts'

interface Props {
  invitations: Invitation[]
  onLink: (invitation: Invitation) => void
  onChange: () => Promise<void>
}

const TONES: Partial<Record<Invitation['status'], [tone: string, icon: LucideIcon]>> = {
  pending: ['warn', Clock],
  accepted: ['ok', CircleCheck],
  expired: ['danger', CircleX],
}

/** How an invitation stands. A declined or cancelled one is grey. */
function Status({ status }: Pick<Invitation, 'status'>) {
  const [tone = '', Icon] = TONES[status] ?? []
  return (
    <span className={`badge ${tone}`}>
      {Icon && <Icon className="i i-14" aria-hidden />}
      {status.toUpperCase()}
    </span>
  )
}

/** The invitations that were made, newest first, with what can be done about open ones. */
export function History({ invitations, onLink, onChange }: Props) {
  const env = useEnv()
  const { act, isPending } = useAct()

  async function cancel({ id }: Invitation) {
    await act({
      // The list is new before the focus is given back: the button has gone with it.
      run: () => env.api(familyApi.cancel, { invitationId: id }).finally(onChange),
      done: () => ({ title: 'Invitation cancelled', text: 'Its link opens nothing any more.' }),
      failed: 'The invitation was not cancelled',
    })
  }

  return (
    <section>
      <h2>Invitation History</h2>
      {invitations.length === 0 && <p className="t2">No invitations sent yet.</p>}
      <ul className="circle" aria-label="Invitation History">
        {invitations.map((invitation) => (
          <li key={invitation.id}>
            <div className="cut">
              <p className="cut">
                <b>{invitation.inviteeUsername ?? 'No username'}</b>
              </p>
              <p className="small t2 cut">{invitation.inviteeEmail ?? 'No email'}</p>
              <p className="small t2">{dateLine(invitation)}</p>
            </div>
            <Status status={invitation.status} />
            {invitation.status === 'pending' && (
              <span className="acts">
                <button
                  type="button"
                  className="btn compact outline"
                  aria-label={`Link for ${nameOf(invitation)}`}
                  onClick={() => onLink(invitation)}
                >
                  <QrCode className="i i-16" aria-hidden />
                  Link
                </button>
                <button
                  type="button"
                  className="btn compact outline"
                  disabled={isPending}
                  aria-label={`Cancel the invitation of ${nameOf(invitation)}`}
                  onClick={() => void cancel(invitation)}
                >
                  Cancel
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
