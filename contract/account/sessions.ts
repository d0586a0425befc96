import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { done, ingressShape, instant, nothing } from '../ground/shapes.ts'
import { PASSKEY_LIMITS } from './assertion.ts'
import { deviceId } from './documents.ts'

/** The id by which a session is named to its account. It opens nothing. */
const sessionId = z.uuid()

const originShape = z.object({
  /** As the User-Agent named them at sign-in; '' if unknown. */
  browser: z.string().max(20),
  system: z.string().max(20),
  /** By which listener it came. */
  ingress: ingressShape,
})
export type Origin = z.infer<typeof originShape>

const sessionShape = originShape.extend({
  id: sessionId,
  firstSeenAt: instant,
  /** Exact to five minutes. */
  lastSeenAt: instant,
  /** The device that has signed for the session; null if none has [Note: D4]. */
  deviceId: deviceId.nullable(),
  isCurrent: z.boolean(),
})

export type Session = z.infer<typeof sessionShape>

const signInShape = originShape.extend({
  /** The id of the session that it began; of a refused one an id of its own. */
  id: sessionId,
  signedInAt: instant,
  /** The device that has signed for the session since; null if none has. */
  deviceId: deviceId.nullable(),
  /** The name of a passkey that may have been copied: this sign-in by it was refused [Note: K1]. */
  copiedPasskey: z.string().max(PASSKEY_LIMITS.nameMax).nullable().default(null),
  /** False if the session has ended since, or never began. */
  isLive: z.boolean(),
})
export type SignIn = z.infer<typeof signInShape>

export const sessionsApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/sessions',
    access: 'signed_in',
    summary: 'The account’s sessions: this one first, then the last seen.',
    input: nothing,
    output: z.array(sessionShape).max(LIMITS.sessionsPerUser),
  }),
  end: endpoint({
    method: 'DELETE',
    path: '/api/sessions/:sessionId',
    access: 'signed_in',
    rates: ['sessions'],
    summary: 'Ends a session of the account at once. Its browser keeps its keys and may sign in again.',
    input: z.object({ sessionId }),
    output: done,
  }),
  endOthers: endpoint({
    method: 'DELETE',
    path: '/api/sessions',
    access: 'signed_in',
    rates: ['sessions'],
    summary: 'Ends every session of the account but this one.',
    input: nothing,
    output: z.object({ count: z.number().int() }),
  }),
  sleep: endpoint({
    method: 'POST',
    path: '/api/sessions/sleep',
    access: 'signed_in',
    assurance: 'session',
    whileAsleep: true,
    rates: ['proofs'],
    summary:
      'Takes back what a device has signed for this session, as its browser is locked: it sleeps until a device signs again. One that no device has signed for stays as it is.',
    input: nothing,
    output: done,
  }),
  signIns: endpoint({
    method: 'GET',
    path: '/api/sign-ins',
    access: 'signed_in',
    assurance: 'device',
    summary: 'Sign-ins to the account that this session’s device has not answered yet, newest first.',
    input: nothing,
    output: z.array(signInShape).max(LIMITS.signInsPerUser),
  }),
  answerSignIns: endpoint({
    method: 'POST',
    path: '/api/sign-ins/answer',
    access: 'signed_in',
    assurance: 'device',
    rates: ['sessions'],
    summary: 'The person has seen these sign-ins at this session’s device, which is not told of them again.',
    input: z.object({ ids: z.array(sessionId).max(LIMITS.signInsPerUser) }),
    output: done,
  }),
}
