import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { done, nothing } from '../ground/shapes.ts'
import { PUSH_LIMITS } from './pushlimits.ts'

const address = z.string().max(PUSH_LIMITS.pushEndpointMax)
/** Takes padding too. */
const base64url = (chars: number) => z.string().regex(new RegExp(`^[\\w-]{${chars}}={0,2}$`), 'Expected base64url')
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected a time such as 22:00')

/** True for an IANA time zone that this program knows. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Times of day without push, such as 22:00 to 07:00, in an IANA time zone. */
export const quietHoursShape = z
  .object({
    from: timeOfDay,
    to: timeOfDay,
    timeZone: z.string().max(64).refine(isTimeZone, 'Expected a time zone such as Europe/Berlin'),
  })
  .refine(({ from, to }) => from !== to, { error: 'Quiet hours need a beginning and another end', path: ['to'] })
export type QuietHours = z.infer<typeof quietHoursShape>

const quiet = z.object({ quietHours: quietHoursShape.nullable() })

/** A PushSubscription by `toJSON`. */
export const pushSubscriptionShape = z.object({
  endpoint: address,
  expirationTime: z.number().nullable().optional(),
  /** The P-256 public key, 65 bytes, and the authentication secret, 16 bytes (RFC 8291). */
  keys: z.object({ p256dh: base64url(87), auth: base64url(22) }),
})

export const pushApi = {
  key: endpoint({
    method: 'GET',
    path: '/api/push/key',
    access: 'signed_in',
    whileAsleep: true,
    summary: 'The key that a browser subscribes with (RFC 8292), in base64url; null where this server pushes nothing.',
    input: nothing,
    output: z.object({ key: z.string().max(PUSH_LIMITS.pushEndpointMax).nullable() }),
  }),
  subscribe: endpoint({
    method: 'POST',
    path: '/api/push/subscriptions',
    access: 'signed_in',
    whileAsleep: true,
    rates: ['push'],
    summary: `Has a push service wake this browser when something comes and no page is open, until the session ends. At most ${PUSH_LIMITS.pushSubscriptionsMax} an account. The same one again changes nothing; of a sleeping session it takes the place of the one before.`,
    input: pushSubscriptionShape,
    output: done,
  }),
  unsubscribe: endpoint({
    method: 'DELETE',
    path: '/api/push/subscriptions',
    access: 'signed_in',
    rates: ['push'],
    summary: 'Ends one subscription of the account, or, without an endpoint, those of this session.',
    input: z.object({ endpoint: address.optional() }),
    output: done,
  }),
  quietHours: endpoint({
    method: 'GET',
    path: '/api/push/quiet-hours',
    access: 'signed_in',
    summary: 'When nothing is pushed to the account; null if at no time.',
    input: nothing,
    output: quiet,
  }),
  setQuietHours: endpoint({
    method: 'PUT',
    path: '/api/push/quiet-hours',
    access: 'signed_in',
    rates: ['push'],
    summary:
      'Sets when nothing is pushed to any browser of the account; null ends it. What came meanwhile is told once at their end.',
    input: quiet,
    output: quiet,
  }),
}
