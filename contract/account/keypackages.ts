import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { done, nothing } from '../ground/shapes.ts'
import { keyPackagesShape } from './devices.ts'

export const keyPackagesApi = {
  left: endpoint({
    method: 'GET',
    path: '/api/devices/key-packages',
    access: 'signed_in',
    assurance: 'device',
    summary: 'How many one-time key packages this session’s device has left.',
    input: nothing,
    output: z.object({ oneTime: z.number().int(), hasLastResort: z.boolean() }),
  }),
  add: endpoint({
    method: 'POST',
    path: '/api/devices/key-packages',
    access: 'signed_in',
    assurance: 'device',
    rates: ['keyPackages'],
    summary: 'Adds one-time key packages of this session’s device; a new last-resort package replaces the old one.',
    input: keyPackagesShape,
    output: done,
    bodyLimitBytes: LIMITS.keysCallBytes,
  }),
}
