import { lazy } from 'react'
import type { User } from '../../contract/account/account.ts'
import { RECEIPTS } from './useOwnPage.tsx'
import './settings.css'

const AdminPage = lazy(async () => ({ default: (await import('../admin/AdminPage.tsx')).AdminPage }))
const FamilyPage = lazy(async () => ({ default: (await import('../plan/family/FamilyPage.tsx')).FamilyPage }))
const InvitationPage = lazy(async () => ({ default: (await import('../plan/family/InvitationPage.tsx')).InvitationPage }))
const ReceiptPage = lazy(async () => ({ default: (await import('../plan/receipts/ReceiptPage.tsx')).ReceiptPage }))

interface Props {
  location: string
  user: User
  onBack: () => void
  onHome: () => void
}

/** The pages that take the place of the chats, by their address (`useOwnPage`). */
export function OwnPage({ location, user, onBack, onHome }: Props) {
  if (location === '/admin') return <AdminPage user={user} onBack={onBack} />
  if (location === '/master-plan') return <FamilyPage onBack={onBack} />
  if (location.startsWith(RECEIPTS)) return <ReceiptPage number={location.slice(RECEIPTS.length)} />
  return <InvitationPage token={location.slice('/invitation/'.length)} user={user} onDone={onHome} />
}
