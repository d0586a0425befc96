import { type AdminUser, adminApi } from '../../contract/admin/admin.ts'
import { compareTiers, hasRight, type Tier } from '../../contract/money/plans.ts'
import type { Env } from '../env.ts'
import { tierWords } from './adminWords.ts'
import type { Act } from './useAct.tsx'

export const GRANTED = ['free', 'premium', 'enterprise'] as const
export type Granted = (typeof GRANTED)[number]

/** What is asked before an act. */
export interface Question {
  title: string
  text: string
  action: string
  /** True if nothing is lost by it. */
  isHarmless?: boolean
  act: Act
}

export const handleOf = ({ username }: AdminUser): string => `@${username.toLowerCase()}`

/** What an administrator does to an account, with its words. `onChanged` takes the account as the server has answered. */
export function actsOn(env: Env, user: AdminUser, onChanged: (user: AdminUser) => void) {
  const name = handleOf(user)
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
    giveTier: (tier: Granted): Act => ({
      run: async () => onChanged(await env.api(adminApi.setTier, { id: user.id, tier })),
      done: { title: 'Subscription updated', text: `${name} is on ${tierWords(tier)} now.` },
      failed: 'Failed to update subscription',
    }),
  }
}

export const resetQuestion = (user: AdminUser, act: Act): Question => ({
  title: `Set the counters of ${handleOf(user)} to 0?`,
  text: 'Messages, files and minutes of this month are counted anew. What was counted is gone, and the audit trail does not keep it.',
  action: 'Reset',
  act,
})

export const blockQuestion = (user: AdminUser, act: Act): Question => ({
  title: `Block ${handleOf(user)}?`,
  text: 'Every session ends at once and nobody signs in to the account. Messages and keys stay; Unblock undoes it.',
  action: 'Block',
  act,
})

export const demoteQuestion = (user: AdminUser, act: Act): Question => ({
  title: `Take ${handleOf(user)}’s administrator rights?`,
  text: 'The dashboard closes in their open pages. Another administrator can give the rights again.',
  action: 'Take the rights',
  act,
})

/** Always asked: an arrow key alone moves a list of choices on. */
export function tierQuestion(user: AdminUser, tier: Granted, act: Act): Question {
  const [name, now] = [handleOf(user), user.subscriptionTier]
  if (compareTiers(tier, now) > 0 && !hasRight(now, 'send'))
    return {
      title: `Give ${name} ${tierWords(tier)}?`,
      text: 'It begins now, costs them nothing and has no end. What they have paid for stays beside it, and no card is billed for it again.',
      action: 'Give the plan',
      isHarmless: true,
      act,
    }
  return {
    title: `Move ${name} to ${tierWords(tier)}?`,
    text: `What was given ends now. What was paid goes on to its end or is refunded in Payments; no card is billed for it again. ${LEAVING[now] ?? ''}`,
    action: 'Change the plan',
    act,
  }
}

const LEAVING: Partial<Record<Tier, string>> = {
  test: 'Test comes from payments or the command line and cannot be given back here.',
  master: 'Master comes from payments or the command line and cannot be given back here. The family circle loses its rights.',
}
