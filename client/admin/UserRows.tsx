import { useState } from 'react'
import type { AdminUser } from '../../contract/admin/admin.ts'
import type { Tier } from '../../contract/money/plans.ts'
import { AlertDialog } from '../ui/AlertDialog.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { useEnv } from '../ui/env.tsx'
import { dayWords, tierWords, utcDayWords } from './adminWords.ts'
import { Select } from './Select.tsx'
import { useAct } from './useAct.tsx'
import {
  actsOn,
  blockQuestion,
  demoteQuestion,
  GRANTED,
  handleOf,
  type Question,
  resetQuestion,
  tierQuestion,
} from './useracts.ts'

interface Props {
  users: AdminUser[]
  isLoading: boolean
  /** Takes the account as the server has answered after an act. */
  onChanged: (user: AdminUser) => void
}

export function UserRows({ users, isLoading, onChanged }: Props) {
  const env = useEnv()
  const { act, isPending, dialog } = useAct()
  const [question, setQuestion] = useState<Question>()

  return (
    <>
      <ul className={isLoading ? 'users is-loading' : 'users'} aria-label="Users" aria-busy={isLoading}>
        {users.map((user) => {
          const { reset, block, unblock, promote, demote, giveTier } = actsOn(env, user, onChanged)
          const name = handleOf(user)
          const options = GRANTED.map((tier) => [tier, tierWords(tier)] as const)
          return (
            <li key={user.id} className={user.isActive ? 'user' : 'user dim'}>
              <div className="who">
                <Avatar id={user.id} name={user.displayName || user.username} photo={user.profileImageUrl} size={40} />
                <div className="cut">
                  <p className="n">
                    <span className="cut" dir="auto">
                      {user.displayName || user.username}
                    </span>
                    {user.isAdmin && <span className="badge acc">Admin</span>}
                  </p>
                  <p className="cut small t2">{name}</p>
                </div>
              </div>
              <p className="badges">
                <span className={user.isActive ? 'badge ok' : 'badge'}>{user.isActive ? 'Active' : 'Inactive'}</span>{' '}
                <span className="badge">{tierWords(user.subscriptionTier)}</span>
              </p>
              <dl className="dates">
                <div>
                  <dt>Joined</dt>
                  <dd>{dayWords(user.createdAt)}</dd>
                </div>
                <div>
                  <dt>Last seen</dt>
                  <dd>{user.lastSeen ? utcDayWords(user.lastSeen) : 'never'}</dd>
                </div>
              </dl>
              <div className="user-acts">
                <Select<Tier>
                  label={`Tier of ${name}`}
                  value={user.subscriptionTier}
                  isDisabled={isPending}
                  options={
                    options.some(([tier]) => tier === user.subscriptionTier)
                      ? options
                      : [...options, [user.subscriptionTier, tierWords(user.subscriptionTier)]]
                  }
                  onChange={(tier) => {
                    const granted = GRANTED.find((one) => one === tier)
                    if (granted && granted !== user.subscriptionTier) setQuestion(tierQuestion(user, granted, giveTier(granted)))
                  }}
                />
                <button
                  type="button"
                  className="btn compact quiet"
                  disabled={isPending}
                  aria-label={`Reset the usage of ${name}`}
                  onClick={() => setQuestion(resetQuestion(user, reset))}
                >
                  Reset
                </button>
                <button
                  type="button"
                  className="btn compact quiet"
                  disabled={isPending}
                  aria-label={`${user.isAdmin ? '-Admin: take the rights of' : '+Admin: make an administrator of'} ${name}`}
                  onClick={() => (user.isAdmin ? setQuestion(demoteQuestion(user, demote)) : void act(promote))}
                >
                  {user.isAdmin ? '-Admin' : '+Admin'}
                </button>
                <button
                  type="button"
                  className={user.isActive ? 'btn compact quiet bad' : 'btn compact quiet'}
                  disabled={isPending}
                  aria-label={`${user.isActive ? 'Block' : 'Unblock'} ${name}`}
                  onClick={() => (user.isActive ? setQuestion(blockQuestion(user, block)) : void act(unblock))}
                >
                  {user.isActive ? 'Block' : 'Unblock'}
                </button>
              </div>
            </li>
          )
        })}
      </ul>
      {question && (
        <AlertDialog
          title={question.title}
          text={question.text}
          action={question.action}
          pendingAction="Working..."
          isPending={isPending}
          isHarmless={question.isHarmless === true}
          onConfirm={() => void act(question.act).then(() => setQuestion(undefined))}
          onCancel={() => setQuestion(undefined)}
        />
      )}
      {dialog}
    </>
  )
}
