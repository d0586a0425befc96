import { DrizzleQueryError } from 'drizzle-orm'

/** Whether the statement failed because another row holds that value already. `constraint` names the unique index. */
export function isTaken(error: unknown, constraint: string): boolean {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  return cause instanceof Error && 'constraint' in cause && cause.constraint === constraint
}
