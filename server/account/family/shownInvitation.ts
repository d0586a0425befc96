import type { Invitation } from '../../../contract/account/family.ts'
import type { InvitationRow } from './store.ts'

/** An invitation as its owner sees it at that time. */
export function shown(row: InvitationRow, now: Date): Invitation {
  const status = row.status === 'pending' && row.expiresAt <= now ? 'expired' : row.status
  return {
    ...{
      id: row.id,
      masterUserId: row.masterUserId,
      inviteeEmail: row.inviteeEmail,
      inviteeUsername: row.inviteeUsername,
      status,
    },
    invitationToken: status === 'pending' ? row.invitationToken : null,
    expiresAt: row.expiresAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    acceptedAt: row.acceptedAt?.toISOString() ?? null,
    mail: row.mailedAt ? 'sent' : row.mailTriedAt ? 'failed' : null,
    mailedAt: row.mailedAt?.toISOString() ?? null,
  }
}
