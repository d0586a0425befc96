import { sql } from 'drizzle-orm'
import { instantOf } from './instant.ts'

// For statements that have the owner as `own` and their contact as `c`, the other person as `u`, that person's contact of the owner as
// `theirs`, their row of the room's members as `them` and of presence as `p`. The two see of each other what both show.

/** True if both have accepted each other, and neither blocks the other. */
const IS_MUTUAL = sql`coalesce(c.state = 'accepted' and theirs.state = 'accepted' and not c.is_blocked and not theirs.is_blocked, false)`

/** The same as the owner may know it: a person who blocks the owner looks like one who is away. */
export const LOOKS_MUTUAL = sql`coalesce(c.state = 'accepted' and theirs.state = 'accepted' and not c.is_blocked, false)`

/** True if the person is online, as far as the owner is shown it. */
export const IS_ONLINE = sql`${IS_MUTUAL} and own.shows_presence and u.shows_presence and coalesce(p.nodes <> '{}', false)`

/** When the person was last seen, as far as the owner is shown it. */
export const LAST_SEEN = sql`case when ${LOOKS_MUTUAL} and own.shows_last_seen and u.shows_last_seen then
  ${instantOf(sql`case when theirs.is_blocked then theirs.seen_when_blocked else p.last_seen end`)} end`

/** The other person's marks as the owner is shown them. */
export const THEIR_DELIVERED = sql`coalesce(them.shown_delivered_seq, them.delivered_seq)`
export const THEIR_READ = sql`case when own.shows_receipts and u.shows_receipts then coalesce(them.shown_read_seq, them.read_seq) else 0 end`

/** True if the person has answered the owner's request, as far as the owner may know. */
export const HAS_ANSWERED = sql`(coalesce(theirs.state = 'accepted', false) or ${THEIR_DELIVERED} > 0)`
