import { FAMILY, type Invitation } from '../../../contract/account/family.ts'
import { moment } from '../../ui/time.ts'

/** Whom an invitation is for, by what the inviter has typed. */
export const nameOf = ({ inviteeUsername, inviteeEmail }: Invitation): string => inviteeUsername ?? inviteeEmail ?? 'nobody named'

/** When somebody joined by an invitation, or when it was mailed or made. It says "Sent" of what was sent alone. */
export function dateLine({ acceptedAt, mailedAt, createdAt, mail }: Invitation): string {
  if (acceptedAt) return `Joined ${moment(new Date(acceptedAt))}`
  if (mailedAt) return `Sent ${moment(new Date(mailedAt))}`
  return `Created ${moment(new Date(createdAt))}${mail === 'failed' ? ', the mail did not go out' : ', not mailed'}`
}

const JOINS_MS = FAMILY.joinsDays * 24 * 60 * 60 * 1000

/** Says when the next person can be invited, where so many have joined lately that nobody can now. */
export function joinsWords(invitations: Invitation[], now: Date): string | undefined {
  const open = invitations.filter(({ status }) => status === 'pending').length
  const joined = invitations
    .flatMap(({ acceptedAt }) => (acceptedAt === null ? [] : [new Date(acceptedAt).getTime()]))
    .filter((at) => now.getTime() - at <= JOINS_MS)
    .sort((one, other) => one - other)
  const first = joined[joined.length + open - FAMILY.joinsMax]
  if (first === undefined) return undefined
  return `Ten people have joined within 30 days, or are invited. The next one can be invited from ${moment(new Date(first + JOINS_MS))} on`
}

/** How the link of an open invitation reaches the person. */
export function deliveryLine({ mail, inviteeEmail }: Invitation): string {
  if (mail === 'sent') return `It was mailed to ${inviteeEmail}. You can pass it on yourself as well.`
  if (mail === 'failed') return `The mail to ${inviteeEmail} did not go out: send it again, or pass the link on yourself.`
  return 'It was not mailed: pass it on yourself.'
}

/** What the button of the form is called: nothing is called sent where the server sends no mail. */
export function sendWords(sendsMail: boolean, isPending: boolean): string {
  if (sendsMail) return isPending ? 'Sending Invitation...' : 'Send Invitation'
  return isPending ? 'Creating Invitation...' : 'Create Invitation'
}
