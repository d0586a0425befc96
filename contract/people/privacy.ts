import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'

/** What a person shows to contacts. Each counts both ways: two people see of each other what both of them show. */
export const privacyShape = z.object({
  /** That one of the person's browsers is open. */
  presence: z.boolean(),
  /** When the last one was closed. */
  lastSeen: z.boolean(),
  typing: z.boolean(),
  /** How far the person has read. How far a browser has received is shown in any case. */
  receipts: z.boolean(),
})
export type Privacy = z.infer<typeof privacyShape>

export const privacyApi = {
  update: endpoint({
    method: 'PUT',
    path: '/api/privacy',
    access: 'signed_in',
    rates: ['privacy'],
    summary: 'Switches what contacts are shown: presence, last seen, typing, read receipts. What is not sent stays as it is.',
    input: privacyShape.partial(),
    output: privacyShape,
  }),
}
