import pg from 'pg'

const CONNECT_MS = 10_000

/** Lets the server's role read and write the rows of what the role of `client` owns, and change no table. */
export async function grantRows(client: pg.Client, role: string): Promise<void> {
  const name = client.escapeIdentifier(role)
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
      'DATABASE_OWNER_URL must be of a role whose rights the role of DATABASE_URL does not have: that one owns the tables too, ' +
        'belongs to their owner, may make roles or is a superuser, so that the triggers of ledger and audit trail do not bind it',
    )
    this.name = 'OwnerError'
  }
}

/** Throws OwnerError if the role of `url` could change the tables of the books. */
export async function requireOtherOwner(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  await client.connect()
  try {
    const { rows } = await client.query<{ isOwner: boolean }>(
      `select bool_or(pg_has_role(c.relowner, 'member')) or bool_or(r.rolcreaterole) as "isOwner"
       from pg_class c, pg_roles r
       where c.oid in ('public.ledger_entries'::regclass, 'public.audit_log'::regclass) and r.rolname = current_user`,
    )
    if (rows[0]?.isOwner !== false) throw new OwnerError()
  } finally {
    await client.end()
  }
}
