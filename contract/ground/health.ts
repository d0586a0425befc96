import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { nothing } from './shapes.ts'

export const healthApi = {
  health: endpoint({
    method: 'GET',
    path: '/api/health',
    access: 'anyone',
    summary: 'Whether the process answers and the database does. 503 when the database does not.',
    input: nothing,
    output: z.object({
      status: z.literal('ok'),
      database: z.literal('ok'),
      contractVersion: z.number().int(),
      /** null: there is none, or it is not published yet. */
      onionAddress: z.string().nullable(),
      /** True: whoever comes otherwise is refused every call. */
      isTorRequired: z.boolean(),
    }),
  }),
  openapi: endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'anyone',
    summary: 'This document.',
    input: nothing,
    output: z.looseObject({ openapi: z.string() }),
  }),
}
