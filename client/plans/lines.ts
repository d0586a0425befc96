import { type Plan, UNLIMITED } from '../../contract/plans.ts'

/** The benefits of a plan, one line each. */
export function linesOf({ messagesPerMonth, fileBytes, hasPrioritySupport }: Plan): string[] {
  const support = hasPrioritySupport ? ['Priority support'] : []
  if (messagesPerMonth === UNLIMITED) return ['Unlimited messages, calls and files', ...support]
  const megabytes = fileBytes / (1024 * 1024)
  return [`${messagesPerMonth} messages per month`, 'Unlimited voice and video calls', `Files up to ${megabytes}MB`, ...support]
}

/** What an account on this plan can do, one line each. */
export function currentLinesOf(plan: Plan): string[] {
  const { send, family } = plan.rights
  if (!send) return ['Add people, and share your code', 'Receive and read messages from paid users']
  return [...linesOf(plan), ...(family ? ['A family circle'] : [])]
}

/** Formats a price: "$1,000" for 100000 cents. */
export const shownPrice = (cents: number): string =>
  (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: cents % 100 === 0 ? 0 : 2 })
