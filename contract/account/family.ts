import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { REFUSAL_TEXTS } from '../ground/refusaltexts.ts'
import { done, instant, nothing, userId } from '../ground/shapes.ts'
import { emailShapeOf } from './names.ts'

/** Members of a circle, days in which an invitation can be accepted, invitations of an account that are kept, and who joins in how many days. */
export const FAMILY = { membersMax: 5, invitationDays: 7, invitationsMax: 50, joinsMax: 10, joinsDays: 30 } as const

/** The secret of an invitation's link: 24 random bytes in base64url. */
const token = z.string({ error: REFUSAL_TEXTS.unknown_invitation }).regex(/^[A-Za-z0-9_-]{32}$/, REFUSAL_TEXTS.unknown_invitation)

export const invitationShape = z.object({
  id: z.uuid(),
  masterUserId: userId,
  inviteeEmail: z.string().nullable(),
  inviteeUsername: z.string().nullable(),
  /** The secret of the link; null once it opens nothing. */
  invitationToken: token.nullable(),
  status: z.enum(['pending', 'accepted', 'declined', 'expired', 'cancelled']),
  expiresAt: instant,
  createdAt: instant,
  acceptedAt: instant.nullable(),
  /** `failed`: the mail server did not say that it took the mail. null: no mail was to be sent. */
  mail: z.enum(['sent', 'failed']).nullable(),
  mailedAt: instant.nullable(),
})
export type Invitation = z.infer<typeof invitationShape>

const memberShape = z.object({
  id: userId,
  displayName: z.string(),
  username: z.string(),
  profileImageUrl: z.string().nullable(),
  /** False too where the member does not show it. */
  isOnline: z.boolean(),
  joinedAt: instant,
})
export type Member = z.infer<typeof memberShape>

/** An empty field is none. */
const email = emailShapeOf('Please enter a valid email')
  .optional()
  .transform((text) => text || undefined)
const username = z
  .string()
  .trim()
  .max(LIMITS.usernameMax, 'Username must be at most 30 characters')
  .refine((text) => text === '' || text.length >= LIMITS.usernameMin, 'Username must be at least 3 characters')
  .optional()
  .transform((text) => text || undefined)

export const inviteShape = z
  .object({ inviteeEmail: email, inviteeUsername: username })
  .refine(
    ({ inviteeEmail, inviteeUsername }) => inviteeEmail !== undefined || inviteeUsername !== undefined,
    'Please provide either email or username',
  )

/** The family circle of an account whose plan includes one: up to five people who have Premium’s rights while that plan lasts. */
export const familyApi = {
  invitations: endpoint({
    method: 'GET',
    path: '/api/master/invitations',
    access: 'master',
    summary: 'The invitations of the caller, newest first.',
    input: nothing,
    output: z.array(invitationShape).max(FAMILY.invitationsMax),
  }),
  members: endpoint({
    method: 'GET',
    path: '/api/master/family',
    access: 'master',
    summary: 'The members of the caller’s family circle.',
    input: nothing,
    output: z.array(memberShape).max(FAMILY.membersMax),
  }),
  invite: endpoint({
    method: 'POST',
    path: '/api/master/invite',
    access: 'master',
    rates: ['invitations'],
    summary:
      'Makes an invitation, whose link one person can accept within seven days, and mails it where the server sends mail. Members and open invitations are five at most; ten people join within 30 days.',
    input: inviteShape,
    output: invitationShape,
  }),
  cancel: endpoint({
    method: 'DELETE',
    path: '/api/master/invitations/:invitationId',
    access: 'master',
    rates: ['invitations'],
    summary: 'Takes an open invitation back.',
    input: z.object({ invitationId: z.uuid() }),
    output: invitationShape,
  }),
  mail: endpoint({
    method: 'POST',
    path: '/api/master/invitations/:invitationId/mail',
    access: 'master',
    rates: ['invitations'],
    summary: 'Mails the link of an open invitation once more. `mail` says whether the mail server has taken it.',
    input: z.object({ invitationId: z.uuid() }),
    output: invitationShape,
  }),
  removeMember: endpoint({
    method: 'DELETE',
    path: '/api/master/family/:memberId',
    access: 'master',
    rates: ['invitations'],
    summary: 'Removes a member from the family circle.',
    input: z.object({ memberId: userId }),
    output: done,
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/invitations/:token',
    access: 'anyone',
    summary: 'Who invites by an open invitation, and the username that they have typed for the one who has its link.',
    input: z.object({ token }),
    output: z.object({ inviterName: z.string(), inviteeUsername: z.string().nullable() }),
  }),
  accept: endpoint({
    method: 'POST',
    path: '/api/invitations/:token/accept',
    access: 'signed_in',
    rates: ['account'],
    summary: 'Joins the family circle. `showsOnline` says whether the one who invites may see when the caller is online.',
    input: z.object({ token, showsOnline: z.boolean().default(false) }),
    output: done,
  }),
  decline: endpoint({
    method: 'POST',
    path: '/api/invitations/:token/decline',
    access: 'signed_in',
    rates: ['account'],
    summary: 'Declines an invitation, whose link opens nothing from then on.',
    input: z.object({ token }),
    output: done,
  }),
  own: endpoint({
    method: 'GET',
    path: '/api/family',
    access: 'signed_in',
    summary:
      'The family circle that the caller is a member of; null if none. `sendsMail`: whether this server mails invitations.',
    input: nothing,
    output: z.object({
      sendsMail: z.boolean(),
      membership: z
        .object({ displayName: z.string(), username: z.string(), isPaid: z.boolean(), showsOnline: z.boolean() })
        .nullable(),
    }),
  }),
  setOnline: endpoint({
    method: 'PUT',
    path: '/api/family',
    access: 'signed_in',
    rates: ['account'],
    summary: 'Whether the one whose family circle the caller is in may see when the caller is online.',
    input: z.object({ showsOnline: z.boolean() }),
    output: done,
  }),
  leave: endpoint({
    method: 'POST',
    path: '/api/family/leave',
    access: 'signed_in',
    rates: ['account'],
    summary: 'Leaves the family circle. Nothing happens outside of one.',
    input: nothing,
    output: done,
  }),
}
