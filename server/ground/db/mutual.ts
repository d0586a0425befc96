import { type SQL, sql } from 'drizzle-orm'
import { instantOf } from './instant.ts'

// Rows: owner `own`, their contact `c`, other person `u` with contact `theirs`, room member `them` and presence `p`.

const IS_MUTUAL = sql`coalesce(c.state = 'accepted' and theirs.state = 'accepted' and not c.is_blocked and not theirs.is_blocked, false)`

/** True if either blocks the other. */
export const IS_BLOCKED = sql`(coalesce(c.is_blocked, false) or coalesce(theirs.is_blocked, false))`

/** Hides a block by the other person. */
export const LOOKS_MUTUAL = sql`coalesce(c.state = 'accepted' and theirs.state = 'accepted' and not c.is_blocked, false)`

export const IS_ONLINE = sql`${IS_MUTUAL} and own.shows_presence and u.shows_presence and coalesce(p.nodes <> '{}', false)`

export const LAST_SEEN = sql`case when ${LOOKS_MUTUAL} and own.shows_last_seen and u.shows_last_seen then
  ${instantOf(sql`case when theirs.is_blocked then theirs.seen_when_blocked else p.last_seen end`)} end`

export const THEIR_DELIVERED = sql`coalesce(them.shown_delivered_seq, them.delivered_seq)`
export const THEIR_READ = sql`case when own.shows_receipts and u.shows_receipts then coalesce(them.shown_read_seq, them.read_seq) else 0 end`

export const HAS_ANSWERED = sql`(coalesce(theirs.state = 'accepted', false) or ${THEIR_DELIVERED} > 0)`

/** What the owner may know of the manifest `m`: a stranger the version of `given` (shown_manifests), or 1. */
export const theirManifestVersion = (isGroup: SQL): SQL =>
  sql`case when m.version is null then 0 when ${isGroup} or ${LOOKS_MUTUAL} then m.version
    else least(m.version, coalesce(given.version, 1)) end`
