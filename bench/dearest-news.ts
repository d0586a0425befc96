import { createECDH, randomBytes, randomUUID } from 'node:crypto'
import { PUSH_LIMITS } from '../contract/chat/pushlimits.ts'
import { TRANSFER_LIMITS } from '../contract/chat/transferlimits.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import type { Request, Scene } from './scene.ts'

const by =
  (input: (scene: Scene) => Record<string, unknown> = () => ({})): Request =>
  async (scene) => ({ who: scene.alice, input: input(scene) })

/** What of each call for notifications, pushes, calls and transfers costs the server most, as in `DEAREST`. */
export const NEWS: Record<string, Record<string, Request>> = {
  'GET /api/notifications/unread-count': { 'as many contacts as may be': by() },
  'GET /api/notifications': { 'a page of as many contacts as may be': by(() => ({ limit: LIMITS.pageMax })) },
  'POST /api/notifications/read': {
    'as many rooms as may be': by(({ longRoom: { chatRoomId } }) => ({
      rooms: Array.from({ length: LIMITS.roomIdsMax }, (_, seq) => ({ chatRoomId, seq })),
    })),
  },
  'POST /api/notifications/:chatRoomId/mute': {
    'a room of the longest': by(({ longRoom: { chatRoomId } }) => ({ chatRoomId, term: 'hour' })),
  },
  'POST /api/notifications/:chatRoomId/unmute': {
    'a room of the longest': by(({ longRoom: { chatRoomId } }) => ({ chatRoomId })),
  },
  // A call that does not ring, so that the refusal is measured.
  'GET /api/turn': { 'no call': by(() => ({ callId: randomUUID() })) },
  'GET /api/transfers': { 'as many as are listed': by() },
  'POST /api/transfers': {
    'an offer': async ({ bob, carol }) => ({
      who: bob,
      input: { transferId: randomUUID(), to: carol.id, bytes: TRANSFER_LIMITS.toldStepBytes },
    }),
  },
  'POST /api/transfers/:transferId/end': { 'no transfer': by(() => ({ transferId: randomUUID(), reason: 'cancelled' })) },
  'GET /api/calls/settings': { 'nothing in it': by() },
  'PUT /api/calls/settings': { 'the switch': by(() => ({ ringsClosed: true })) },
  'GET /api/push/key': { 'nothing in it': by() },
  // A subscription itself waits for name servers: what is measured is the refusal of an address.
  'POST /api/push/subscriptions': {
    'the longest address': by(() => ({
      endpoint: `https://127.0.0.1/${'x'.repeat(PUSH_LIMITS.pushEndpointMax - 18)}`,
      keys: { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
    })),
  },
  'DELETE /api/push/subscriptions': { 'those of the session': by() },
  'GET /api/push/quiet-hours': { 'nothing in it': by() },
  'PUT /api/push/quiet-hours': {
    'new ones': by(() => ({ quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' } })),
  },
}
