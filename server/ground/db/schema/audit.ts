import { bigint, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { at, bytes } from './columns.ts'

/**
 * What administrators have done. Rows are only added, each in the transaction that it tells of; a row's hash is over its fields and the
 * hash of the row before it.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    /** 1, 2, 3, without a gap. */
    seq: bigint('seq', { mode: 'number' }).primaryKey(),
    /** null: the command line. */
    actorId: uuid('actor_id'),
    act: text('act').notNull(),
    subjectId: uuid('subject_id'),
    /** What else it was done to, such as the id of a package. */
    target: text('target'),
    /** JSON texts, exactly as they are hashed. */
    before: text('before').notNull(),
    after: text('after').notNull(),
    createdAt: at('created_at').notNull(),
    /** SHA-256. */
    hash: bytes('hash').notNull(),
  },
  (table) => [
    index('audit_log_actor').on(table.actorId, table.seq),
    index('audit_log_subject').on(table.subjectId, table.seq),
    index('audit_log_act').on(table.act, table.seq),
  ],
)
