import { useState } from 'react'
import type { AdminUser } from '../../contract/admin.ts'
import { adminApi } from '../../contract/admin.ts'
import { compareTiers, hasRight, type Tier } from '../../contract/plans.ts'
import { AlertDialog } from '../ui/AlertDialog.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { useEnv } from '../ui/env.tsx'
import { Select } from './Select.tsx'
import { type Act, useAct } from './useAct.tsx'
import { dayWords, tierWords, utcDayWords } from './words.ts'

const GRANTED = ['free', 'premium', 'enterprise'] as const
type Granted = (typeof GRANTED)[number]

interface Props {
  users: AdminUser[]
  isLoading: boolean
  /** Takes the account as the server has answered after an act. */
  onChanged: (user: AdminUser) => void
}

/** What is asked before something is lost. */
interface Question {
  title: string
  text: string
  action: string
  act: Act
}

export function UserRows({ users, isLoading, onChanged }: Props) {
  const env = useEnv()
  const { act, isPending, dialog } = useAct()
  const [question, setQuestion] = useState<Question>()

  const acts = (user: AdminUser) => {
    const name = `@${user.username.toLowerCase()}`
    const doing = (call: typeof adminApi.deactivate, done: Act['done'], failed: string): Act => ({
      run: async () => onChanged(await env.api(call, { id: user.id })),
      done,
      failed,
    })
    return {
      reset: doing(
        adminApi.resetUsage,
        { title: 'Usage reset', text: `The counters of ${name} are at 0.` },
        'Failed to reset usage',
      ),
      unblock: doing(
        adminApi.reactivate,
        { title: 'User reactivated', text: `${name} can sign in again.` },
        'Failed to reactivate user',
      ),
      block: doing(
        adminApi.deactivate,
        { title: 'User deactivated', text: `${name} is signed out everywhere.` },
        'Failed to deactivate user',
      ),
      promote: doing(
        adminApi.makeAdmin,
        { title: 'Admin privileges granted', text: 'The user has been promoted to administrator.' },
        'Failed to grant admin privileges',
      ),
      demote: doing(
        adminApi.removeAdmin,
        { title: 'Admin privileges removed', text: `${name} is no administrator any more.` },
        'Failed to remove admin privileges',
      ),
      tier: (tier: Granted): Act => ({
        run: async () => onChanged(await env.api(adminApi.setTier, { id: user.id, tier })),
        done: { title: 'Subscription updated', text: `${name} is on ${tierWords(tier)} now.` },
        failed: 'Failed to update subscription',
      }),
    }
  }

  function chooseTier(user: AdminUser, tier: Granted) {
    const change = acts(user).tier(tier)
    if (compareTiers(tier, user.subscriptionTier) > 0 && !hasRight(user.subscriptionTier, 'send')) return void act(change)
    setQuestion({
      title: `Move @${user.username.toLowerCase()} to ${tierWords(tier)}?`,
      text: `The plan ${tierWords(user.subscriptionTier)} ends now, with what was paid for its period. ${LEAVING[user.subscriptionTier] ?? ''}`,
      action: 'Change the plan',
      act: change,
    })
  }

  return (
    <>
      <ul className={isLoading ? 'users is-loading' : 'users'} aria-label="Users" aria-busy={isLoading}>
        {users.map((user) => {
          const { reset, block, unblock, promote, demote } = acts(user)
          const name = `@${user.username.toLowerCase()}`
          const options = GRANTED.map((tier) => [tier, tierWords(tier)] as const)
          return (
            <li key={user.id} className={user.isActive ? 'user' : 'user dim'}>
              <div className="who">
                <Avatar id={user.id} name={user.displayName || user.username} size={40} />
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
                    if (granted && granted !== user.subscriptionTier) chooseTier(user, granted)
                  }}
                />
                <button
                  type="button"
                  className="btn compact quiet"
                  disabled={isPending}
                  aria-label={`Reset the usage of ${name}`}
                  onClick={() => void act(reset)}
                >
                  Reset
                </button>
                <button
                  type="button"
                  className="btn compact quiet"
                  disabled={isPending}
                  aria-label={`${user.isAdmin ? '-Admin: take the rights of' : '+Admin: make an administrator of'} ${name}`}
                  onClick={() =>
                    user.isAdmin
                      ? setQuestion({
                          title: `Take ${name}’s administrator rights?`,
                          text: 'The dashboard closes in their open pages. Another administrator can give the rights again.',
                          action: 'Take the rights',
                          act: demote,
                        })
                      : void act(promote)
                  }
                >
                  {user.isAdmin ? '-Admin' : '+Admin'}
                </button>
                <button
                  type="button"
                  className={user.isActive ? 'btn compact quiet bad' : 'btn compact quiet'}
                  disabled={isPending}
                  aria-label={`${user.isActive ? 'Block' : 'Unblock'} ${name}`}
                  onClick={() =>
                    user.isActive
                      ? setQuestion({
                          title: `Block ${name}?`,
                          text: 'Every session ends at once and nobody signs in to the account. Messages and keys stay; Unblock undoes it.',
                          action: 'Block',
                          act: block,
                        })
                      : void act(unblock)
                  }
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
          onConfirm={() => {
            setQuestion(undefined)
            void act(question.act)
          }}
          onCancel={() => setQuestion(undefined)}
        />
      )}
      {dialog}
    </>
  )
}

const LEAVING: Partial<Record<Tier, string>> = {
  test: 'Test comes from payments or the command line and cannot be given back here.',
  master: 'Master comes from payments or the command line and cannot be given back here. The family circle loses its rights.',
}
