import { z } from 'zod'
import {
  callAnswerShape,
  callBeatShape,
  callEndShape,
  callOfferShape,
  callRejectShape,
  callSignalShape,
  callSuccessShape,
  heardAnswerShape,
  heardCandidateShape,
  heardEndShape,
  heardOfferShape,
  heardRejectShape,
  heardSignalShape,
  iceCandidateShape,
} from './chat/callframes.ts'
import { draftShape, messageShape } from './chat/messages.ts'
import { commitShape } from './chat/rooms.ts'
import {
  heardTransferAcceptShape,
  heardTransferAnswerShape,
  heardTransferHereShape,
  heardTransferRejectShape,
  heardTransferSignalShape,
  transferAcceptShape,
  transferAnswerShape,
  transferChangedShape,
  transferHereShape,
  transferRejectShape,
  transferSignalShape,
  transferSuccessShape,
} from './chat/transferframes.ts'
import { LIMITS } from './ground/limits.ts'
import { chatRoomId, ingressShape, instant, seqShape, signedShape, userId } from './ground/shapes.ts'

/** A frame may be lost, so data that must survive is posted. */
export const clientFrame = z.discriminatedUnion('type', [
  /** For programs, as POST /api/messages. The answer is `message`, or `refused` with the draft's id. */
  z.object({ type: z.literal('message'), data: draftShape }),
  z.object({ type: z.literal('typing'), data: z.object({ chatRoomId, isTyping: z.boolean() }) }),
  /** A padded one is answered at its own length. */
  z.object({
    type: z.literal('ping'),
    data: z.object({
      pad: z
        .string()
        .regex(/^0{223}$/)
        .optional(),
    }),
  }),
  /** Calls [Note: M3]. `refused` carries the call's id. */
  z.object({ type: z.literal('call-offer'), data: callOfferShape }),
  z.object({ type: z.literal('call-answer'), data: callAnswerShape }),
  z.object({ type: z.literal('call-signal'), data: callSignalShape }),
  z.object({ type: z.literal('ice-candidate'), data: iceCandidateShape }),
  z.object({ type: z.literal('call-reject'), data: callRejectShape }),
  z.object({ type: z.literal('call-end'), data: callEndShape }),
  z.object({ type: z.literal('call-beat'), data: callBeatShape }),
  /** Direct transfers [Note: M11]. `refused` carries the transfer's id. */
  z.object({ type: z.literal('transfer-accept'), data: transferAcceptShape }),
  z.object({ type: z.literal('transfer-answer'), data: transferAnswerShape }),
  z.object({ type: z.literal('transfer-signal'), data: transferSignalShape }),
  z.object({ type: z.literal('transfer-reject'), data: transferRejectShape }),
  z.object({ type: z.literal('transfer-here'), data: transferHereShape }),
])
export type ClientFrame = z.infer<typeof clientFrame>
export type ClientFrameType = ClientFrame['type']

/** A socket at this address hears of rings, without names, and of nothing else: a locked browser's session may open it while it sleeps. */
export const RINGS_PATH = '/ws?rings'

/** More are refused; the socket stays open. */
export interface FrameRate {
  points: number
  seconds: number
}

/** By type, so that a flood of one leaves the others their own. */
export const FRAME_RATES = {
  /** `RATES` bounds an account in all its sockets. */
  message: { points: 20, seconds: 1 },
  typing: { points: 10, seconds: 1 },
  ping: { points: 5, seconds: 1 },
  /** Each attempt to connect is one. */
  'call-offer': { points: 20, seconds: 10 },
  'call-answer': { points: 20, seconds: 10 },
  'call-signal': { points: 20, seconds: 1 },
  'ice-candidate': { points: 20, seconds: 1 },
  'call-reject': { points: 5, seconds: 1 },
  'call-end': { points: 5, seconds: 1 },
  'call-beat': { points: 2, seconds: 1 },
  'transfer-accept': { points: 20, seconds: 10 },
  'transfer-answer': { points: 20, seconds: 10 },
  'transfer-signal': { points: 20, seconds: 1 },
  'transfer-reject': { points: 5, seconds: 1 },
  /** All that are kept, when a page begins. */
  'transfer-here': { points: 50, seconds: 10 },
} as const satisfies Record<ClientFrameType, FrameRate>

/** Frames of unknown types, all together. */
export const OTHER_FRAMES: FrameRate = { points: 20, seconds: 1 }

/** Above this the socket is closed, and the rest is not read. */
export const FLOOD = { frames: 100, bytes: 20 * LIMITS.frameBytes, seconds: 1 } as const

export type ClientData = { [T in ClientFrameType]: Extract<ClientFrame, { type: T }>['data'] }

/**
 * `sessions`: some have ended. `ended`: the person ended them in another browser. `sign_in`: one began, or a device signed.
 * `privacy`: what contacts see, and what is seen of them. `biometric`: whether the password needs a passkey.
 */
export const accountChange = z.enum(['plan', 'rights', 'block', 'sessions', 'ended', 'sign_in', 'name', 'privacy', 'biometric'])
export type AccountChange = z.infer<typeof accountChange>

export const serverFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    data: z.object({
      contractVersion: z.number().int(),
      ingress: ingressShape,
      serverTime: instant,
      /** null: the server has none. */
      onionAddress: z.string().nullable(),
      /** True: nobody comes otherwise, and no call leaves Tor. Absent: false. */
      isTorRequired: z.boolean().optional(),
      userId,
    }),
  }),
  z.object({
    type: z.literal('pong'),
    data: z.object({ serverTime: instant, pad: z.string().optional() }),
  }),
  z.object({ type: z.literal('message'), data: messageShape }),
  z.object({ type: z.literal('commit'), data: commitShape }),
  /** `readSeq`: 0 if the two do not show it to each other. */
  z.object({ type: z.literal('receipt'), data: z.object({ chatRoomId, userId, deliveredSeq: seqShape, readSeq: seqShape }) }),
  z.object({ type: z.literal('typing'), data: z.object({ chatRoomId, userId, isTyping: z.boolean() }) }),
  /** As the reader may see it. `lastSeen`: null if online or hidden. */
  z.object({ type: z.literal('presence'), data: z.object({ userId, isOnline: z.boolean(), lastSeen: instant.nullable() }) }),
  /** Rows of these people changed, perhaps the reader's own; without `userIds` any. */
  z.object({ type: z.literal('contacts'), data: z.object({ userIds: z.array(userId).max(LIMITS.roomMembersMax).optional() }) }),
  /** The contact code was replaced or used: fetch it, and its uses. */
  z.object({ type: z.literal('code'), data: z.object({}) }),
  /** The account changed: fetch the user again. */
  z.object({ type: z.literal('account'), data: z.object({ what: accountChange }) }),
  /** Fetch the own devices and keys again. */
  z.object({ type: z.literal('devices'), data: z.object({}) }),
  /** The book has this version now: fetch another browser's decisions. */
  z.object({ type: z.literal('book'), data: z.object({ version: seqShape }) }),
  z.object({ type: z.literal('call-offer'), data: heardOfferShape }),
  z.object({ type: z.literal('call-answer'), data: heardAnswerShape }),
  z.object({ type: z.literal('call-signal'), data: heardSignalShape }),
  z.object({ type: z.literal('ice-candidate'), data: heardCandidateShape }),
  z.object({ type: z.literal('call-reject'), data: heardRejectShape }),
  z.object({ type: z.literal('call-end'), data: heardEndShape }),
  z.object({ type: z.literal('call-success'), data: callSuccessShape }),
  z.object({ type: z.literal('transfer-accept'), data: heardTransferAcceptShape }),
  z.object({ type: z.literal('transfer-answer'), data: heardTransferAnswerShape }),
  z.object({ type: z.literal('transfer-signal'), data: heardTransferSignalShape }),
  z.object({ type: z.literal('transfer-reject'), data: heardTransferRejectShape }),
  z.object({ type: z.literal('transfer-here'), data: heardTransferHereShape }),
  z.object({ type: z.literal('transfer-success'), data: transferSuccessShape }),
  z.object({ type: z.literal('transfer-changed'), data: transferChangedShape }),
  z.object({ type: z.literal('refused'), data: z.object({ code: z.string(), error: z.string(), id: z.string().nullable() }) }),
  /** Before a close, perhaps instead of `hello`: connect again when so much has passed since, less a random part of up to a half. */
  z.object({ type: z.literal('come_back'), data: z.object({ seconds: z.number() }) }),
  /** The socket closes with 4401. */
  z.object({
    type: z.literal('signed_out'),
    data: z.object({
      /** The manifest that removed this device [Note: D3]. */
      manifest: signedShape.optional(),
      /** `ended`: in another browser. `block`: by an administrator. */
      reason: z.enum(['ended', 'block']).optional(),
    }),
  }),
])
export type ServerFrame = z.infer<typeof serverFrame>
export type FrameType = ServerFrame['type']
export type FrameOf<T extends FrameType> = Extract<ServerFrame, { type: T }>
export type ServerData = { [T in FrameType]: FrameOf<T>['data'] }

/** RFC 6455 section 7.4.1 and its registry; 4xxx are our own. */
export const CLOSE = {
  normal: 1000,
  tooBig: 1009,
  tooSlow: 4008,
  signedOut: 4401,
  /** Reconnect once a device has signed for the session. */
  deviceRequired: 4403,
  tooManyFrames: 4429,
  /** A newer socket replaced this one. Do not reconnect, which would close another. */
  tooManySockets: 4430,
} as const

/** After `come_back`. The server stops, or has too much to do. */
export const CLOSE_LATER = { restart: 1012, busy: 1013 } as const
