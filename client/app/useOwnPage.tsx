import { useRef } from 'react'
import type { User } from '../../contract/account/account.ts'
import { hasRight } from '../../contract/money/plans.ts'

export const RECEIPTS = '/receipts/'

/**
 * True at the address of a page that takes the place of the chats, for who may see it. The dashboard stays where the rights end while it is
 * open: it says so itself.
 */
export function useOwnPage(location: string, user: User | null): boolean {
  const wasAdmin = useRef(false)
  wasAdmin.current = location === '/admin' && (user?.isAdmin === true || wasAdmin.current)
  if (location === '/master-plan') return user !== null && hasRight(user.subscriptionTier, 'family')
  return wasAdmin.current || location.startsWith('/invitation/') || (user !== null && location.startsWith(RECEIPTS))
}
