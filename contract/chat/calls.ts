import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { done, instant, nothing } from '../ground/shapes.ts'

export const relayShape = z.object({
  urls: z.array(z.string().max(300)).min(1).max(10),
  username: z.string().max(200).optional(),
  credential: z.string().max(200).optional(),
})

export const callSettingsShape = z.object({
  /** "Ring closed browsers". */
  ringsClosed: z.boolean(),
})

export const callsApi = {
  turn: endpoint({
    method: 'GET',
    path: '/api/turn',
    access: 'signed_in',
    assurance: 'device',
    rates: ['relays'],
    summary:
      'The relay for a ringing or running call of the caller’s, for an accepted direct transfer, or without either for a test of a minute.',
    input: z.object({ callId: z.uuid().optional(), transferId: z.uuid().optional(), leavesTor: z.stringbool().optional() }),
    output: z.object({ hasRelay: z.boolean(), iceServers: z.array(relayShape).max(20), expiresAt: instant.nullable() }),
  }),
  settings: endpoint({
    method: 'GET',
    path: '/api/calls/settings',
    access: 'signed_in',
    summary: 'Whether calls ring closed browsers, and whether this server has a relay, by which they hide addresses by default.',
    input: nothing,
    output: callSettingsShape.extend({
      hasRelay: z.boolean(),
      /** The relay is the operator’s. */
      hidesByDefault: z.boolean(),
    }),
  }),
  updateSettings: endpoint({
    method: 'PUT',
    path: '/api/calls/settings',
    access: 'signed_in',
    rates: ['privacy'],
    summary: 'Switches whether calls ring closed browsers.',
    input: callSettingsShape,
    output: done,
  }),
}
