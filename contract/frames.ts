import { z } from 'zod'
import { LIMITS } from './limits.ts'
import { draftShape, messageShape } from './messages.ts'
import { commitShape } from './rooms.ts'
import { chatRoomId, instant, seqShape, signedShape, userId } from './shapes.ts'

/** What a client may say on the socket. Frames may be lost; what must survive is a POST. */
export const clientFrame = z.discriminatedUnion('type', [
  /** The same verb as POST /api/messages; answered by `message` or `refused` with the draft's id. */
  z.object({ type: z.literal('message'), data: draftShape }),
  z.object({ type: z.literal('typing'), data: z.object({ chatRoomId, isTyping: z.boolean() }) }),
  z.object({ type: z.literal('ping'), data: z.object({}) }),
])
export type ClientFrame = z.infer<typeof clientFrame>
export type ClientFrameType = ClientFrame['type']
/** What each frame of a client carries, by its type. */
export type ClientData = { [T in ClientFrameType]: Extract<ClientFrame, { type: T }>['data'] }

/** What of an account may change while its pages are open: its plan, what it may do, whether it is blocked, its sessions, its name. */
export const accountChange = z.enum(['plan', 'rights', 'block', 'sessions', 'name'])
export type AccountChange = z.infer<typeof accountChange>

/** What the server says. */
export const serverFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    data: z.object({
      contractVersion: z.number().int(),
      /** `onion`: the socket came in by the onion listener. Known by listener, never by a header. */
      ingress: z.enum(['onion', 'direct']),
      serverTime: instant,
      /** The server's onion address, where it has one. */
      onionAddress: z.string().nullable(),
      userId,
    }),
  }),
  z.object({ type: z.literal('pong'), data: z.object({ serverTime: instant }) }),
  z.object({ type: z.literal('message'), data: messageShape }),
  z.object({ type: z.literal('commit'), data: commitShape }),
  /** How far one member of a room has received and read. */
  z.object({ type: z.literal('receipt'), data: z.object({ chatRoomId, userId, deliveredSeq: seqShape, readSeq: seqShape }) }),
  z.object({ type: z.literal('typing'), data: z.object({ chatRoomId, userId, isTyping: z.boolean() }) }),
  z.object({ type: z.literal('presence'), data: z.object({ userId, isOnline: z.boolean(), lastSeen: instant.nullable() }) }),
  /**
   * The contact list changed in a way that a reload of it shows: a request, an acceptance, a new manifest. `userIds`: whose rows;
   * one's own id may be among them. Absent: any.
   */
  z.object({ type: z.literal('contacts'), data: z.object({ userIds: z.array(userId).max(LIMITS.roomMembersMax).optional() }) }),
  /** Something of the own account changed, by whatever hand: ask again who is signed in. */
  z.object({ type: z.literal('account'), data: z.object({ what: accountChange }) }),
  /** The account's own devices or keys changed: fetch them. */
  z.object({ type: z.literal('devices'), data: z.object({}) }),
  /** The account's book has this version now: what one browser decided, the others take over. */
  z.object({ type: z.literal('book'), data: z.object({ version: seqShape }) }),
  z.object({ type: z.literal('refused'), data: z.object({ code: z.string(), error: z.string(), id: z.string().nullable() }) }),
  /** The session ended elsewhere; the socket closes with 4401. `manifest`: the one that removed this device [Note: D3]. */
  z.object({ type: z.literal('signed_out'), data: z.object({ manifest: signedShape.optional() }) }),
])
export type ServerFrame = z.infer<typeof serverFrame>
export type FrameType = ServerFrame['type']
export type FrameOf<T extends FrameType> = Extract<ServerFrame, { type: T }>
/** What each frame of the server carries, by its type. */
export type ServerData = { [T in FrameType]: FrameOf<T>['data'] }

/** Close codes: RFC 6455 section 7.4.1, and 4xxx of our own. */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  tooBig: 1009,
  tooSlow: 4008,
  signedOut: 4401,
  /** No device has signed for the session yet: once one has, the next socket stays. */
  deviceRequired: 4403,
  tooManyFrames: 4429,
  /** A newer socket of the same account took its place: a page that came back by itself would push out another one. */
  tooManySockets: 4430,
} as const
