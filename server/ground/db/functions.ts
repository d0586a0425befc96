import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'

/**
 * Applies the files of SQL functions, triggers and views that differ from what was applied last, in the order of their names, in the
 * caller's transaction. `isAgain` applies every one: a migration may have dropped some that stood in its way.
 */
export async function applyFunctions(client: pg.Client, folder: string, { isAgain }: { isAgain: boolean }): Promise<void> {
  await client.query('create table if not exists drizzle.functions (name text primary key, hash text not null)')
  const { rows } = await client.query<{ name: string; hash: string }>('select name, hash from drizzle.functions')
  const applied = new Map(rows.map(({ name, hash }) => [name, hash]))
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  for (const name of names) {
    const text = readFileSync(path.join(folder, name), 'utf8')
    const hash = createHash('sha256').update(text).digest('hex')
    if (!isAgain && applied.get(name) === hash) continue
    await client.query(text)
    await client.query(
      'insert into drizzle.functions (name, hash) values ($1, $2) on conflict (name) do update set hash = excluded.hash',
      [name, hash],
    )
  }
  // A file that goes and comes back is applied again.
  await client.query('delete from drizzle.functions where name <> all ($1)', [names])
}
