import { DrizzleQueryError } from 'drizzle-orm'

/** True if the statement failed because another row has that value already. `constraint` names the unique index. */
export function isTaken(error: unknown, constraint: string): boolean {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  return cause instanceof Error && 'constraint' in cause && cause.constraint === constraint
}
