import type pg from 'pg'

/** What the catalogs say of the schema `public`, as `kind` and `line`. Columns are numbered by their order, whatever was dropped between. */
const CATALOG = `
  with own as (select oid from pg_namespace where nspname = 'public'),
  rel as (select c.* from pg_class c join own on own.oid = c.relnamespace)
  select 'relation' as kind, concat_ws(' ', relname, relkind, relpersistence, relreplident, relrowsecurity, reltablespace, reloptions, relacl) as line from rel
  union all
  select 'column', concat_ws(' ', rel.relname, rank() over (partition by rel.oid order by a.attnum), a.attname, format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull then 'not null' end, a.attidentity, a.attgenerated, a.attstorage, a.attcompression, a.attstattarget, a.attcollation::regcollation,
    a.attoptions, a.attacl, pg_get_expr(d.adbin, d.adrelid))
  from rel join pg_attribute a on a.attrelid = rel.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
  union all
  select 'constraint', concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(c.oid), convalidated, condeferrable, condeferred)
  from pg_constraint c join own on own.oid = c.connamespace
  union all
  select 'index', concat_ws(' ', pg_get_indexdef(i.indexrelid), indisvalid, indisclustered, indisreplident)
  from pg_index i join rel on rel.oid = i.indexrelid
  union all
  select 'function', concat_ws(' ', pg_get_functiondef(p.oid), proacl) from pg_proc p join own on own.oid = p.pronamespace where prokind <> 'a'
  union all
  select 'trigger', concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled) from pg_trigger t join rel on rel.oid = t.tgrelid where not tgisinternal
  union all
  select 'view', relname || ' ' || pg_get_viewdef(oid) from rel where relkind in ('v', 'm')
  union all
  select 'sequence', concat_ws(' ', s.seqrelid::regclass, seqtypid::regtype, seqstart, seqincrement, seqmax, seqmin, seqcache, seqcycle, d.deptype,
    d.refobjid::regclass, (select attname from pg_attribute where (attrelid, attnum) = (d.refobjid, d.refobjsubid)))
  from pg_sequence s join rel on rel.oid = s.seqrelid left join pg_depend d on d.objid = s.seqrelid and d.deptype in ('a', 'i') and d.refobjsubid > 0
  union all
  select 'type', concat_ws(' ', typname, typtype, typacl) from pg_type t join own on own.oid = t.typnamespace
  union all
  select 'rule', pg_get_ruledef(r.oid) from pg_rewrite r join rel on rel.oid = r.ev_class
  union all
  select 'policy', polname::text from pg_policy
  union all
  select 'statistics', pg_get_statisticsobjdef(s.oid) from pg_statistic_ext s
  union all
  select 'extension', extname::text from pg_extension
  union all
  select 'schema', nspname::text from pg_namespace where nspname !~ '^pg_'
  union all
  select 'comment', objoid::regclass || ' ' || objsubid || ' ' || description from pg_description where objoid in (select oid from rel)
  order by 1, 2`

/** The schema of a database as sorted lines: tables, columns, constraints, indexes, functions, triggers, views, sequences and types. */
export async function readCatalog(client: pg.ClientBase | pg.Pool): Promise<string[]> {
  const { rows } = await client.query<{ kind: string; line: string }>(CATALOG)
  return rows.map(({ kind, line }) => `${kind} ${line}`)
}
