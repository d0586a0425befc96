import type { Queryable } from './connect.ts'

/**
 * Makes a statement with a name: it is built once for a pool, and each connection plans it once. `prepare` gets the pool or
 * transaction that runs it, and ends with Drizzle's `.prepare(name)`; its values are placeholders.
 *
 * PostgreSQL keeps the plan until the tables are analyzed anew. A plan that was made while they were empty must do when they have
 * millions of rows, so every table of a named statement is read by an index whatever the counts are (`connect.ts` switches
 * sequential scans off), and joins go along whole keys. A plan that looks dearer than one for the very values is not kept at all: a
 * statement hides from the planner how many its array has, or where its range lies. `server/stable.test.ts` holds them to it (decision
 * 0036).
 */
export function named<Values extends Record<string, unknown>, Answer>(
  prepare: (db: Queryable) => { execute(values: Values): Promise<Answer> },
): (db: Queryable, values: Values) => Promise<Answer> {
  const prepared = new WeakMap<Queryable, ReturnType<typeof prepare>>()
  return (db, values) => {
    const statement = prepared.get(db) ?? prepare(db)
    prepared.set(db, statement)
    return statement.execute(values)
  }
}
