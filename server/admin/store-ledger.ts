import { sql } from 'drizzle-orm'
import type { Queryable } from '../ground/db/connect.ts'

/**
 * Lists entries of that time, in their order, after that place, as one JSON text: PostgreSQL writes it, because thousands of rows would
 * hold up everybody else here.
 */
export async function readEntries(
  db: Queryable,
  { from, to, after, atMost }: { from: Date; to: Date; after: number; atMost: number },
): Promise<string> {
  const { rows } = await db.execute<{ answer: string }>(sql`
    with found as (
      select e.* from ledger_entries e
      where e.place > ${after} and e.created_at >= ${from}::timestamptz and e.created_at < ${to}::timestamptz
      order by e.place limit ${atMost + 1}),
    shown as (
      select e.place, json_build_object(
        'place', e.place, 'key', e.key, 'at', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'kind', e.kind,
        'userId', case when u.deleted_at is null then e.user_id end, 'source', e.source, 'provider', v.provider, 'isTest', not v.is_live,
        'tier', e.tier, 'amountCents', e.amount_cents, 'taxCents', e.tax_cents, 'coin', e.coin, 'coinUnits', e.coin_units,
        'rate', k.rate, 'reference', e.reference, 'refersTo', e.refers_to, 'receipt', r.number) as entry
      from (select * from found order by place limit ${atMost}) e join users u on u.id = e.user_id
        left join card_providers v on v.id = e.provider_id
        left join ledger_chain c on c.place = e.place left join receipts r on r.seq = c.seq
        left join crypto_payments k on k.id = case when coalesce(e.refers_to, e.key) ~ '^coin:[0-9a-f-]{36}$'
          then substr(coalesce(e.refers_to, e.key), 6)::uuid end)
    select json_build_object('entries', coalesce((select json_agg(entry order by place) from shown), '[]'::json),
      'hasMore', (select count(*) from found) > ${atMost})::text as answer`)
  return rows[0]?.answer ?? ''
}

/** True if this administrator has a row of this act and target since then. */
export async function hasActed(tx: Queryable, actorId: string, act: string, target: string, since: Date): Promise<boolean> {
  const { rows } = await tx.execute<{ has: boolean }>(sql`
    select exists (select from audit_log where actor_id = ${actorId} and act = ${act} and target = ${target}
      and created_at >= ${since}::timestamptz) as has`)
  return rows[0]?.has ?? false
}
