import type { Invitation } from '../../../contract/account/family.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Letter } from '../../ground/outbound/mail.ts'
import { Refusal } from '../../refuse.ts'
import { shown } from './shownInvitation.ts'
import * as store from './store.ts'

/** Mails the link of an open invitation, and notes whether the mail server has taken it. Throws Refusal. */
export async function mailInvitation(env: Env, user: SignedInUser, id: string): Promise<Invitation> {
  if (!env.mail.isOn) throw new Refusal('mail_off')
  const row = await store.findInvitation(env.db, { id, masterId: user.id })
  if (!row) throw new Refusal('not_found')
  if (row.status !== 'pending' || row.expiresAt <= env.clock()) throw new Refusal('invitation_over')
  if (row.inviteeEmail === null) throw new Refusal('no_mail_address')
  await env.limits.take('mailsToOne', row.inviteeEmail.toLowerCase())
  await env.limits.take('mails', user.id)
  await env.limits.take('mailsTotal', 'all')
  const isTaken = await env.mail.send(letterOf(env, user.username, row.inviteeEmail, row))
  const triedAt = env.clock()
  const noted = await store.noteMail(env.db, id, { mailTriedAt: triedAt, mailedAt: isTaken ? triedAt : row.mailedAt })
  if (!noted) throw new Refusal('not_found')
  return shown(noted, triedAt)
}

/** The username is its only text of a person: it can be no link and no line of its own. */
function letterOf(env: Env, username: string, to: string, { invitationToken, expiresAt }: store.InvitationRow): Letter {
  const [origin = ''] = env.config.direct.origins(undefined)
  const name = `@${username.toLowerCase()}`
  const day = expiresAt.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  return {
    to,
    subject: `${name} invites you to Conclave`,
    // Short lines of ASCII are sent as they stand.
    text: `${name} invites you to their family circle on Conclave,
a private messenger that opens in a browser tab. You would have
Premium's rights there while their plan lasts.

See the invitation, and join once until ${day}:
${origin}/invitation/${invitationToken}

You do not know ${name}, or would rather not join?
Then there is nothing to do: no account was made for you.
`,
  }
}
