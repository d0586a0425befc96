import type { User } from '../../../contract/account/account.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { CodeCard } from './CodeCard.tsx'
import { UsesHere } from './CodeUses.tsx'

/** Shows the own contact code to the person there, and asks about who scans it. */
export function InviteDialog({ user, onClose }: { user: User; onClose: () => void }) {
  return (
    <Dialog title="My Contact QR Code" onClose={onClose}>
      <UsesHere />
      <CodeCard user={user} />
    </Dialog>
  )
}
