import { desc, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { ledgerChain } from '../../ground/db/schema/ledger.ts'

export async function findNewest(db: Queryable) {
  const { seq, hash } = ledgerChain
  const [row] = await db.select({ seq, hash }).from(ledgerChain).orderBy(desc(seq)).limit(1)
  return row
}

export async function findLink(db: Queryable, hash: Buffer): Promise<number | undefined> {
  const { rows } = await db.execute<{ seq: number }>(sql`select seq::float8 as seq from ledger_chain where hash = ${hash}`)
  return rows[0]?.seq
}

/** Computes every hash as `ledgerchain.sql` does. Whoever changes rows could change its function too. */
export async function checkLinks(db: Queryable): Promise<{ brokenAt: number | null; unlinked: number }> {
  return await db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`)
    await tx.execute(sql`set local timezone to 'UTC'`)
    const { rows } = await tx.execute<{ brokenAt: number | null; unlinked: number }>(sql`
      with links as (
        select c.seq, row_number() over (order by c.seq) as nth, c.hash = sha256(convert_to('conclave/ledger/v1 '
          || coalesce(encode(lag(c.hash) over (order by c.seq), 'hex'), '') || ' ' || jsonb_strip_nulls(to_jsonb(l))::text, 'UTF8')) as fits
        from ledger_chain c left join ledger_entries l on l.place = c.place)
      select (select min(nth)::float8 from links where seq <> nth or fits is not true) as "brokenAt",
        (select count(*)::int from ledger_entries l where not exists (select from ledger_chain c where c.place = l.place)) as unlinked`)
    return rows[0] ?? { brokenAt: null, unlinked: 0 }
  })
}
