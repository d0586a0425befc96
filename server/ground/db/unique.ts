import { DrizzleQueryError } from 'drizzle-orm'

/** `constraint` names the unique index. */
export function isTaken(error: unknown, constraint: string): boolean {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  return cause instanceof Error && 'constraint' in cause && cause.constraint === constraint
}
