import { useState } from 'react'
import { familyApi, type Member } from '../../../contract/account/family.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { Avatar } from '../../ui/Avatar.tsx'
import { useEnv } from '../../ui/env.tsx'
import { useAct } from '../../ui/useAct.tsx'

const handleOf = ({ username }: Member): string => `@${username.toLowerCase()}`

/** Who is in the circle, and the way out of it for each. */
export function Members({ members, onChange }: { members: Member[]; onChange: () => Promise<void> }) {
  const env = useEnv()
  const { act, isPending } = useAct()
  const [asked, setAsked] = useState<Member>()

  async function remove(member: Member) {
    await act({
      run: () => env.api(familyApi.removeMember, { memberId: member.id }).finally(onChange),
      done: () => ({ title: 'Member Removed', text: `${handleOf(member)} is no longer in your family circle.` }),
      failed: 'Remove Failed',
    })
    setAsked(undefined)
  }

  return (
    <section>
      <h2>Family Circle Members</h2>
      {members.length === 0 && <p className="t2">No family members yet. Send your first invitation!</p>}
      <ul className="circle" aria-label="Family Circle Members">
        {members.map((member) => (
          <li key={member.id}>
            <Avatar id={member.id} name={member.displayName} photo={member.profileImageUrl} size={40} />
            <div className="cut">
              <p className="cut" dir="auto">
                <b>{member.displayName}</b>
              </p>
              <p className="small t2 cut">{handleOf(member)}</p>
            </div>
            <span className={member.isOnline ? 'badge ok' : 'badge'}>{member.isOnline ? 'Online' : 'Offline'}</span>
            <button
              type="button"
              className="btn compact outline"
              disabled={isPending}
              aria-label={`Remove ${handleOf(member)}`}
              onClick={() => setAsked(member)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      {asked && (
        <AlertDialog
          title={`Remove ${handleOf(asked)}?`}
          text="They lose the rights of your plan at once. What they have written stays, and they can go on reading."
          action="Remove"
          pendingAction="Removing..."
          isPending={isPending}
          onConfirm={() => void remove(asked)}
          onCancel={() => setAsked(undefined)}
        />
      )}
    </section>
  )
}
