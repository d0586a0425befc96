import { ChevronLeft, QrCode } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { FAMILY, familyApi, type Invitation, type Member } from '../../contract/family.ts'
import { AlertDialog } from '../ui/AlertDialog.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { Counters } from '../ui/Counters.tsx'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { moment } from '../ui/time.ts'
import { showToast } from '../ui/toast.ts'
import { InviteForm } from './InviteForm.tsx'
import { LinkDialog } from './LinkDialog.tsx'
import './family.css'

/** The family circle of the signed-in account: its members, and the invitations to it. */
export function FamilyPage({ onBack }: { onBack: () => void }) {
  const env = useEnv()
  const title = useRef<HTMLHeadingElement>(null)
  const [loaded, setLoaded] = useState<{ members: Member[]; invitations: Invitation[] }>()
  const [failure, setFailure] = useState<string | null>(null)
  const [isRemoving, setRemoving] = useState<Member>()
  const [shown, setShown] = useState<Invitation>()
  const [isPending, setPending] = useState(false)

  async function load() {
    try {
      const [members, invitations] = await Promise.all([env.api(familyApi.members, {}), env.api(familyApi.invitations, {})])
      setLoaded({ members, invitations })
      setFailure(null)
    } catch (error) {
      setFailure(failureWords(error))
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded once, and when somebody joins or leaves
  useEffect(() => {
    title.current?.focus()
    void load()
    return env.socket.on('account', () => void load())
  }, [env])

  async function act(run: () => Promise<unknown>, done: { title: string; text: string }, failed: string) {
    setPending(true)
    try {
      await run()
      showToast({ tone: 'good', ...done })
    } catch (error) {
      showToast({ tone: 'bad', title: failed, text: failureWords(error) })
    } finally {
      setPending(false)
      await load()
    }
  }

  const members = loaded?.members ?? []
  const pending = loaded?.invitations.filter(({ status }) => status === 'pending') ?? []
  const free = Math.max(0, FAMILY.membersMax - members.length - pending.length)
  return (
    <div className="settings">
      <main className="page family">
        <header>
          <IconButton icon={ChevronLeft} label="Back to chat" onClick={onBack} />
          <h1 ref={title} tabIndex={-1}>
            MASTER PLAN
          </h1>
        </header>
        {!loaded && <NotRead words="The family circle could not be loaded." failure={failure} onRetry={() => void load()} />}
        {loaded && (
          <>
            <Counters
              counters={[
                { name: 'Family Members', value: `${members.length}/${FAMILY.membersMax}` },
                { name: 'Pending Invites', value: String(pending.length) },
                { name: 'Available Slots', value: String(free) },
              ]}
            />
            <InviteForm
              members={members.length}
              slots={free}
              onInvited={(invitation) => {
                setShown(invitation)
                void load()
              }}
            />
            <section>
              <h2>Family Circle Members</h2>
              {members.length === 0 && <p className="t2">No family members yet. Send your first invitation!</p>}
              <ul className="circle" aria-label="Family Circle Members">
                {members.map((member) => (
                  <li key={member.id}>
                    <Avatar id={member.id} name={member.displayName} size={40} />
                    <div className="cut">
                      <p className="cut" dir="auto">
                        <b>{member.displayName}</b>
                      </p>
                      <p className="small t2 cut">@{member.username.toLowerCase()}</p>
                    </div>
                    <span className={member.isOnline ? 'badge ok' : 'badge'}>{member.isOnline ? 'Online' : 'Offline'}</span>
                    <button
                      type="button"
                      className="btn compact outline"
                      aria-label={`Remove @${member.username.toLowerCase()}`}
                      onClick={() => setRemoving(member)}
                    >
                      Remove
                    </button>
                  </li>
                ))}
              </ul>
            </section>
            <section>
              <h2>Invitation History</h2>
              {loaded.invitations.length === 0 && <p className="t2">No invitations sent yet.</p>}
              <ul className="circle" aria-label="Invitation History">
                {loaded.invitations.map((invitation) => (
                  <li key={invitation.id}>
                    <div className="cut">
                      <p className="cut">
                        <b>{invitation.inviteeUsername ?? 'No username'}</b>
                      </p>
                      <p className="small t2 cut">{invitation.inviteeEmail ?? 'No email'}</p>
                      <p className="small t2">
                        {invitation.acceptedAt
                          ? `Joined ${moment(new Date(invitation.acceptedAt))}`
                          : `Sent ${moment(new Date(invitation.createdAt))}`}
                      </p>
                    </div>
                    <span className={`badge ${TONES[invitation.status]}`}>{invitation.status.toUpperCase()}</span>
                    {invitation.status === 'pending' && (
                      <span className="acts">
                        <button
                          type="button"
                          className="btn compact outline"
                          aria-label={`Link for ${invitation.inviteeUsername ?? invitation.inviteeEmail}`}
                          onClick={() => setShown(invitation)}
                        >
                          <QrCode className="i i-16" aria-hidden />
                          Link
                        </button>
                        <button
                          type="button"
                          className="btn compact outline"
                          disabled={isPending}
                          aria-label={`Cancel the invitation of ${invitation.inviteeUsername ?? invitation.inviteeEmail}`}
                          onClick={() =>
                            void act(
                              () => env.api(familyApi.cancel, { invitationId: invitation.id }),
                              { title: 'Invitation cancelled', text: 'Its link opens nothing any more.' },
                              'The invitation was not cancelled',
                            )
                          }
                        >
                          Cancel
                        </button>
                      </span>
                    )}
                  </li>
                ))}
              </ul>
            </section>
          </>
        )}
      </main>
      {shown?.invitationToken && <LinkDialog invitation={shown} onClose={() => setShown(undefined)} />}
      {isRemoving && (
        <AlertDialog
          title={`Remove @${isRemoving.username.toLowerCase()}?`}
          text="They lose the rights of your plan at once. What they have written stays, and they can go on reading."
          action="Remove"
          pendingAction="Removing..."
          isPending={isPending}
          onConfirm={() => {
            setRemoving(undefined)
            void act(
              () => env.api(familyApi.removeMember, { memberId: isRemoving.id }),
              { title: 'Member Removed', text: `@${isRemoving.username.toLowerCase()} is no longer in your family circle.` },
              'Remove Failed',
            )
          }}
          onCancel={() => setRemoving(undefined)}
        />
      )}
    </div>
  )
}

const TONES: Record<Invitation['status'], string> = {
  pending: 'warn',
  accepted: 'ok',
  expired: 'danger',
  declined: '',
  cancelled: '',
}
