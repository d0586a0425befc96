import pg from 'pg'
import { BACKUP_LOCK } from '../db/backupLock.ts'
import { BackupError } from './backupError.ts'

export type Session = pg.Client

/** PostgreSQL ends backup, slot and lock with the connection. */
export async function openSession(url: string): Promise<Session> {
  const client = new pg.Client({ connectionString: url, application_name: 'conclave backup' })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    const isNew = error instanceof Error && 'code' in error && error.code === '3D000'
    throw isNew ? new BackupError('There is no database yet to back up: start the server once') : error
  }
  return client
}

/** Keeps jobs from deleting files. Throws BackupError. */
export async function takeLock(client: Session): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${BACKUP_LOCK}) as taken`)
  if (!rows[0]?.taken) throw new BackupError('Another backup of this database runs. Wait for its end')
}

export interface Source {
  version: string
  systemIdentifier: string
  segmentBytes: number
  migrations: number
  /** Milliseconds. */
  newestMigration: number
}

/** Throws BackupError. */
export async function readSource(client: Session): Promise<Source> {
  const { rows: outside } = await client.query("select from pg_tablespace where spcname not in ('pg_default', 'pg_global')")
  if (outside.length > 0) throw new BackupError('The database has tablespaces of its own, which this backup does not copy')
  const { rows } = await client.query<Source>(
    `select current_setting('server_version') as version, s.system_identifier::text as "systemIdentifier",
       (select bytes_per_wal_segment from pg_control_init()) as "segmentBytes",
       (select count(*)::int from drizzle.__drizzle_migrations) as migrations,
       (select coalesce(max(created_at), 0)::float8 from drizzle.__drizzle_migrations) as "newestMigration"
     from pg_control_system() s`,
  )
  const [row] = rows
  if (!row) throw new Error('PostgreSQL says nothing of itself')
  return row
}

const slotName = (): string => `conclave_backup_${process.pid}`

/** The slot keeps the log. Returns where the backup starts. */
export async function startBackup(client: Session, label: string): Promise<string> {
  await client.query('select pg_create_physical_replication_slot($1, true, true)', [slotName()])
  const { rows } = await client.query<{ lsn: string }>('select pg_backup_start($1, true)::text as lsn', [label])
  return rows[0]?.lsn ?? ''
}

export interface Stopped {
  lsn: string
  segment: string
  label: string
  map: string
  at: Date
}

/** The log up to `lsn` is then on the disk. */
export async function stopBackup(client: Session): Promise<Stopped> {
  // The copy may lack what is acknowledged later.
  const { rows: times } = await client.query<Pick<Stopped, 'at'>>('select clock_timestamp() as at')
  const { rows } = await client.query<Omit<Stopped, 'at'>>(
    'select lsn::text, pg_walfile_name(lsn) as segment, labelfile as label, spcmapfile as map from pg_backup_stop(false)',
  )
  const [row, time] = [rows[0], times[0]]
  if (!row || !time) throw new Error('PostgreSQL did not end the backup')
  return { ...row, ...time }
}

export async function dropSlot(client: Session): Promise<void> {
  await client.query('select pg_drop_replication_slot($1)', [slotName()])
}

/** Rejects if the lock was lost meanwhile. */
export const confirm = (client: Session): Promise<unknown> => client.query('select 1')

export interface ObjectRow {
  id: string
  sizeBytes: number
  sha256: string
  /** False: the bytes may be gone. */
  isKept: boolean
}

/** Rows with all bytes, in order. */
export async function listObjects(client: Session, prefix: string): Promise<ObjectRow[]> {
  const { rows } = await client.query<ObjectRow>(
    `select id::text, size_bytes::float8 as "sizeBytes", sha256, "isKept" from (
       select o.id, o.size_bytes, encode(o.hash, 'hex') as sha256, o.state in ('stored', 'used') as "isKept"
       from objects o where o.hash is not null and not exists (select from object_parts p where p.object_id = o.id)
       union all
       select p.id, p.size_bytes, p.etag, p.state = 'stored' from object_parts p where p.etag is not null) found
     where id between $1 and $2 order by id`,
    [`${prefix}000000-0000-0000-0000-000000000000`, `${prefix}ffffff-ffff-ffff-ffff-ffffffffffff`],
  )
  return rows
}

/** Returns those that are still kept. */
export async function findKept(client: Session, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await client.query<{ id: string }>(
    `select id::text from objects where id = any ($1::uuid[]) and state in ('stored', 'used')
     union all select id::text from object_parts where id = any ($1::uuid[]) and state = 'stored'`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Ends unfinished uploads that lack parts. Returns the other ids. */
export async function dropUnfinishedUploads(client: Session, lacking: string[]): Promise<string[]> {
  await client.query(
    `update objects set state = 'dropped' where state in ('awaited', 'arriving')
       and id in (select object_id from object_parts where id = any ($1::uuid[]))`,
    [lacking],
  )
  const { rows } = await client.query<{ id: string }>(
    `select lost.id::text from unnest($1::uuid[]) lost (id) where not exists (
       select from object_parts p join objects o on o.id = p.object_id where p.id = lost.id and o.state = 'dropped')`,
    [lacking],
  )
  return rows.map(({ id }) => id)
}

export interface Skips {
  receipts: number
  addresses: number
}

/** Passes over numbers that were given since; the provider is asked at once. */
export async function markRestored(client: Session, { from, skips }: { from: Date; skips: Skips }): Promise<void> {
  const { receipts, addresses } = skips
  await client.query('begin')
  // Counters of before are refused, so lists are read anew.
  await client.query("delete from server_secrets where name = 'inbox'")
  await client.query("delete from money_checks where name = 'provider'")
  await client.query('update crypto_indexes set next_index = next_index + $1', [addresses])
  // A series begins anew each year.
  await client.query(
    `insert into receipt_counters (name, value)
     select distinct substr(c.name, 1, length(c.name) - 4) || y.year, $2::bigint
     from receipt_counters c, generate_series(extract(year from $1::timestamptz)::int, extract(year from now())::int) y (year)
     where c.name ~ '20[0-9]{2}$' and $2 > 0
     on conflict (name) do update set value = receipt_counters.value + excluded.value`,
    [from, receipts],
  )
  await client.query('commit')
}
