import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'

/** Applies changed files in order; with `isAgain` all. */
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
  // A file that comes back is applied again.
  await client.query('delete from drizzle.functions where name <> all ($1)', [names])
}
