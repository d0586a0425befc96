import type { World } from './world.ts'

let copies = 0

/** Copies the database without the sandbox, which stands for another company. Returns what puts the copy back in its place. */
export async function takeCopy({ sql, pool }: World): Promise<() => Promise<void>> {
  copies += 1
  const schema = `copy_${copies}`
  const tables = await sql(
    `select relname as name, (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
       where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
     from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'sandbox_objects'`,
  )
  const sequences = await sql("select sequencename as name, last_value as last from pg_sequences where schemaname = 'public'")
  await sql(`create schema ${schema}`)
  for (const { name } of tables) await sql(`create table ${schema}."${name}" as table public."${name}"`)
  return async () => {
    const client = await pool.connect()
    try {
      // No trigger refuses: a copy is put back below the server.
      await client.query('begin; set local session_replication_role = replica')
      for (const { name, columns } of tables) {
        await client.query(`delete from public."${name}"`)
        await client.query(
          `insert into public."${name}" (${columns}) overriding system value select ${columns} from ${schema}."${name}"`,
        )
      }
      for (const { name, last } of sequences)
        await client.query('select setval($1, $2::bigint, $3)', [`public."${name}"`, last ?? 1, last !== null])
      await client.query('commit')
    } finally {
      client.release()
    }
  }
}
