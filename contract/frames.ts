import { z } from 'zod'
import { draftShape, messageShape } from './chat/messages.ts'
import { commitShape } from './chat/rooms.ts'
import { LIMITS } from './ground/limits.ts'
import { chatRoomId, ingressShape, instant, seqShape, signedShape, userId } from './ground/shapes.ts'

/** The frames that a client may send. The network may lose a frame, so data that must survive is sent by POST. */
export const clientFrame = z.discriminatedUnion('type', [
  /**
   * The same verb as POST /api/messages, for programs: our page posts. The server responds with `message`, or with `refused` and the
   * draft's id.
   */
  z.object({ type: z.literal('message'), data: draftShape }),
  z.object({ type: z.literal('typing'), data: z.object({ chatRoomId, isTyping: z.boolean() }) }),
  z.object({ type: z.literal('ping'), data: z.object({}) }),
])
export type ClientFrame = z.infer<typeof clientFrame>
export type ClientFrameType = ClientFrame['type']

/** `points` frames of a socket in `seconds`. What is above is refused, and the socket stays open. */
export interface FrameRate {
  points: number
  seconds: number
}

/** The rate of each client frame, so that a flood of one type leaves the others their own. */
export const FRAME_RATES = {
  /** Twenty messages at once. `RATES` bounds the messages of an account in all its sockets. */
  message: { points: 20, seconds: 1 },
  typing: { points: 10, seconds: 1 },
  ping: { points: 5, seconds: 1 },
} as const satisfies Record<ClientFrameType, FrameRate>

/** The rate of the frames that have no type of the contract, all together. */
export const OTHER_FRAMES: FrameRate = { points: 20, seconds: 1 }

/** A socket that sends more frames, or bytes of frames, in `seconds` is closed before any of the rest is read. */
export const FLOOD = { frames: 100, bytes: 20 * LIMITS.frameBytes, seconds: 1 } as const

/** The data of each client frame, by its type. */
export type ClientData = { [T in ClientFrameType]: Extract<ClientFrame, { type: T }>['data'] }

/**
 * The parts of an account that may change while its pages are open. `sessions`: some have ended; `ended`: the person ended them
 * from another browser; `sign_in`: a session has begun, or a device has signed for it; `privacy`: what contacts are shown, and with it
 * what is shown of them; `biometric`: whether the password needs a passkey.
 */
export const accountChange = z.enum(['plan', 'rights', 'block', 'sessions', 'ended', 'sign_in', 'name', 'privacy', 'biometric'])
export type AccountChange = z.infer<typeof accountChange>

/** The frames that the server sends. */
export const serverFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    data: z.object({
      contractVersion: z.number().int(),
      ingress: ingressShape,
      serverTime: instant,
      /** The server's onion address; null if it has none. */
      onionAddress: z.string().nullable(),
      userId,
    }),
  }),
  z.object({ type: z.literal('pong'), data: z.object({ serverTime: instant }) }),
  z.object({ type: z.literal('message'), data: messageShape }),
  z.object({ type: z.literal('commit'), data: commitShape }),
  /** The seqs up to which one member of a room has received and read; `readSeq` is 0 where the two do not show it to each other. */
  z.object({ type: z.literal('receipt'), data: z.object({ chatRoomId, userId, deliveredSeq: seqShape, readSeq: seqShape }) }),
  z.object({ type: z.literal('typing'), data: z.object({ chatRoomId, userId, isTyping: z.boolean() }) }),
  /** What the reader may see of a contact now. Somebody who is online has no `lastSeen`; null too where it is not shown. */
  z.object({ type: z.literal('presence'), data: z.object({ userId, isOnline: z.boolean(), lastSeen: instant.nullable() }) }),
  /**
   * The contact list changed in a way that a reload shows: a request, an acceptance, a new manifest. `userIds` are the changed
   * rows and may include the reader's own id. If absent, any row may have changed.
   */
  z.object({ type: z.literal('contacts'), data: z.object({ userIds: z.array(userId).max(LIMITS.roomMembersMax).optional() }) }),
  /** The reader's contact code was replaced or used: fetch it, and who used it. */
  z.object({ type: z.literal('code'), data: z.object({}) }),
  /** The reader's account changed: fetch the user again. */
  z.object({ type: z.literal('account'), data: z.object({ what: accountChange }) }),
  /** The account's own devices or keys changed: fetch them. */
  z.object({ type: z.literal('devices'), data: z.object({}) }),
  /** The account's book has this version now: fetch it to take over the decisions of another browser. */
  z.object({ type: z.literal('book'), data: z.object({ version: seqShape }) }),
  z.object({ type: z.literal('refused'), data: z.object({ code: z.string(), error: z.string(), id: z.string().nullable() }) }),
  /** The session ended elsewhere; the socket closes with 4401. */
  z.object({
    type: z.literal('signed_out'),
    data: z.object({
      /** The manifest that removed this device [Note: D3]. */
      manifest: signedShape.optional(),
      /** `ended`: from the list of sessions in another browser of the account. `block`: by an administrator. */
      reason: z.enum(['ended', 'block']).optional(),
    }),
  }),
])
export type ServerFrame = z.infer<typeof serverFrame>
export type FrameType = ServerFrame['type']
export type FrameOf<T extends FrameType> = Extract<ServerFrame, { type: T }>
/** The data of each server frame, by its type. */
export type ServerData = { [T in FrameType]: FrameOf<T>['data'] }

/** Close codes: RFC 6455 section 7.4.1, and application codes (4xxx). */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  tooBig: 1009,
  tooSlow: 4008,
  signedOut: 4401,
  /** No device has signed for the session yet. The socket may reconnect after one has. */
  deviceRequired: 4403,
  tooManyFrames: 4429,
  /** A newer socket of the same account replaced this one. The page must not reconnect, because that would close another one. */
  tooManySockets: 4430,
} as const
