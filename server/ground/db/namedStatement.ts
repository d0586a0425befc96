import type { Queryable } from './connect.ts'

/**
 * Names a statement, which each connection plans once. An early plan must do for millions of rows: tables are read by an index,
 * joins take whole keys, and array lengths and ranges stay hidden from the planner (decision 0036).
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
