import pg from 'pg'

const CONNECT_MS = 10_000

/** Lets the server's role read and write rows of what the role of `client` owns. */
export async function grantRows(client: pg.Client, serverRole: string): Promise<void> {
  const name = client.escapeIdentifier(serverRole)
  for (const statement of [
    `grant usage on schema public, drizzle to ${name}`,
    `grant select, insert, update, delete on all tables in schema public to ${name}`,
    `grant usage, select on all sequences in schema public to ${name}`,
    `grant select on all tables in schema drizzle to ${name}`,
  ])
    await client.query(statement)
}

export class OwnerError extends Error {
  constructor() {
    super(
      'The role of DATABASE_URL must own neither the database nor its tables and functions, belong to no owner of them, make no ' +
        'roles and be no superuser: else the triggers of ledger and audit trail do not bind it, and DATABASE_OWNER_URL is for nothing',
    )
    this.name = 'OwnerError'
  }
}

const BOOKS = `('public.ledger_entries'::regclass, 'public.audit_log'::regclass)`

/** Throws OwnerError if the role of `url` could take the triggers of ledger and audit trail away. */
export async function requireOtherOwner(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  await client.connect()
  try {
    // Who owns a schema drops its tables, and who owns a function replaces it.
    const { rows } = await client.query<{ isOwner: boolean }>(
      `with owners (owner) as (
         select datdba from pg_database where datname = current_database()
         union select nspowner from pg_namespace where nspname = 'public'
         union select relowner from pg_class where oid in ${BOOKS}
         union select p.proowner from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgrelid in ${BOOKS}
       )
       select bool_or(pg_has_role(owner, 'member')) or (select rolcreaterole from pg_roles where rolname = current_user) as "isOwner"
       from owners`,
    )
    if (rows[0]?.isOwner !== false) throw new OwnerError()
  } finally {
    await client.end()
  }
}
