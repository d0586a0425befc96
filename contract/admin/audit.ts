import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { instant, nothing, seqShape, userId } from '../ground/shapes.ts'

/** Rows of a page, and days for which an account is shown what administrators did to it. */
export const AUDIT = { page: 50, pageMax: 500, ownDays: 90 } as const

/** What administrators do that leaves a row. A newer server may know more. */
export const AUDIT_ACTS = [
  'deactivate',
  'reactivate',
  'reset-usage',
  'make-admin',
  'remove-admin',
  'subscription',
  'create-package',
  'update-package',
  'delete-package',
  'toggle-package',
  'refund',
  'settle-payment',
  'export-ledger',
  'export-addresses',
] as const
export type AuditAct = (typeof AUDIT_ACTS)[number]

const named = z.object({ id: userId, username: z.string() })

const auditRowShape = z.object({
  seq: seqShape,
  at: instant,
  /** null: the command line. */
  actor: named.nullable(),
  act: z.string(),
  /** The account that it was done to; null if it was none. */
  subject: named.nullable(),
  /** What else it was done to, such as a package. */
  target: z.string().nullable(),
  /** What was there before and after, as JSON. */
  before: z.string(),
  after: z.string(),
  /** SHA-256 (hex) over the row and the hash of the row before it. */
  hash: z.string().length(64),
})
export type AuditRow = z.infer<typeof auditRowShape>

export const auditApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/audit',
    access: 'admin',
    summary: 'A page of what administrators have done, newest first. `before` is the `seq` of the last row of the page before.',
    input: z.object({
      before: z.coerce.number().int().positive().optional(),
      act: z.enum(AUDIT_ACTS).optional(),
      /** Username of the account that acted or was acted on. */
      username: z.string().trim().max(LIMITS.usernameMax).optional(),
      limit: z.coerce.number().int().min(1).max(AUDIT.pageMax).default(AUDIT.page),
    }),
    output: z.object({ rows: z.array(auditRowShape).max(AUDIT.pageMax), hasMore: z.boolean() }),
  }),
  check: endpoint({
    method: 'POST',
    path: '/api/admin/audit/check',
    access: 'admin',
    rates: ['administration'],
    summary: 'Computes every hash of the audit trail anew. `brokenAt` is the first row that does not fit the one before it.',
    input: nothing,
    output: z.object({ count: seqShape, brokenAt: seqShape.nullable(), newestHash: z.string().nullable() }),
  }),
  own: endpoint({
    method: 'GET',
    path: '/api/account/administration',
    access: 'signed_in',
    summary: 'What administrators have done to the caller’s account in the last 90 days, newest first, without who it was.',
    input: nothing,
    output: z.array(auditRowShape.pick({ seq: true, at: true, act: true, after: true })).max(AUDIT.page),
  }),
}
