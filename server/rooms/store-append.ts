import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'
import type { AppendResult, NewMessage } from './append.ts'

interface AppendOptions {
  now: Date
  /** The first instant of the UTC month of `now`. */
  month: Date
}

/**
 * Appends messages to their rooms. Under its room's lock each message takes the next seq, is refused, or is found to be stored
 * already. No two may have the same (room, sender, id). Runs in its own transaction. Returns results in the order of the
 * messages.
 */
export async function appendMessages(tx: Queryable, messages: NewMessage[], options: AppendOptions): Promise<AppendResult[]> {
  const column = (pick: (message: NewMessage) => unknown): SQL => sql`${sql.param(messages.map(pick))}`
  // Every transaction locks in this order: rooms, then senders, each sorted. The next statement sees everything committed before.
  await tx.execute(sql`
    with rooms as (
      select id from chat_rooms where id = any(${column((each) => each.chatRoomId)}::text[]) order by id for no key update),
    senders as (
      select id from users where id = any(${column((each) => each.senderId)}::uuid[]) order by id for no key update)
    select (select count(*) from rooms) as rooms, (select count(*) from senders) as senders`)

  const { rows } = await tx.execute<AppendResult & Record<string, unknown>>(sql`
    with incoming as (
      select * from unnest(
        ${column((each) => each.chatRoomId)}::text[], ${column((each) => each.senderId)}::uuid[], ${column((each) => each.id)}::uuid[],
        ${column((each) => each.content)}::text[], ${column((each) => each.messageType)}::text[],
        ${column((each) => each.filePath)}::text[], ${column((each) => each.fileName)}::text[], ${column((each) => each.fileSize)}::bigint[],
        ${column((each) => each.replyToId)}::uuid[],
        ${column((each) => each.sealedFor?.groupId ?? null)}::text[], ${column((each) => each.sealedFor?.epoch ?? null)}::bigint[]
      ) with ordinality as t(
        chat_room_id, sender_id, id, content, message_type, file_path, file_name, file_size, reply_to_id, group_id, epoch, place)
    ), judged as (
      select p.*, r.type as room_type, r.last_seq, r.generation as room_generation, r.group_id as room_group_id, r.epoch as room_epoch, r.needs_commit,
        known.seq as known_seq, rights.messages_per_month,
        case when u.usage_reset_date < ${options.month} then 0 else u.monthly_messages_count end as used,
        case
          when me.user_id is null then 'not_found'
          when known.seq is not null then 'known'
          when r.is_closed then 'account_deleted'
          when rights.can_send is not true then 'subscription_required'
          when p.epoch is not null and (r.needs_commit or (p.group_id, p.epoch) is distinct from (r.group_id, r.epoch::bigint))
            then 'stale_epoch'
          else 'stored'
        end as verdict
      from incoming p
      left join users u on u.id = p.sender_id
      left join lateral rights_of(p.sender_id, ${options.now}::timestamptz) rights on true
      left join chat_rooms r on r.id = p.chat_room_id
      left join chat_participants me on me.chat_room_id = p.chat_room_id and me.user_id = p.sender_id
      left join messages known on known.chat_room_id = p.chat_room_id and known.sender_id = p.sender_id and known.id = p.id
    ), limited as (
      select judged.*, case
        when verdict = 'stored' and messages_per_month >= 0
          and used + row_number() over (partition by sender_id, verdict order by place) > messages_per_month
        then 'message_limit_reached' else verdict end as ruling
      from judged
    ), numbered as (
      select limited.*, last_seq + row_number() over (partition by chat_room_id order by place) as seq
      from limited where ruling = 'stored'
    ), audience as (
      select n.place, n.chat_room_id, n.seq, a.member_id, a.member_id <> n.sender_id as is_reader, a.is_told,
        a.member_id <> n.sender_id and a.contact_state is null and n.room_type = 'direct' as is_lapsed
      from numbered n cross join lateral audience_of(n.chat_room_id, n.sender_id) a
    ), inserted as (
      insert into messages (chat_room_id, seq, id, sender_id, content, message_type, file_path, file_name, file_size,
        is_encrypted, reply_to_id, created_at)
      select chat_room_id, seq, id, sender_id, content, message_type, file_path, file_name, file_size,
        epoch is not null, reply_to_id, ${options.now}::timestamptz
      from numbered
    ), moved_rooms as (
      update chat_rooms r set last_seq = n.newest, last_message_seq = n.newest, last_message_at = ${options.now}
      from (select chat_room_id, max(seq) as newest from numbered group by chat_room_id) n
      where r.id = n.chat_room_id
    ), moved_marks as (
      update chat_participants p set
        unread_count = p.unread_count + n.others,
        read_seq = case when n.others = 0 and p.unread_count = 0 then n.newest else p.read_seq end,
        delivered_seq = case when n.others = 0 and p.unread_count = 0 then n.newest else p.delivered_seq end
      from (
        select chat_room_id, member_id, max(seq) as newest, count(*) filter (where is_reader) as others
        from audience group by chat_room_id, member_id) n
      where p.chat_room_id = n.chat_room_id and p.user_id = n.member_id
    ), counted as (
      update users u set
        monthly_messages_count = case when u.usage_reset_date < ${options.month} then 0 else u.monthly_messages_count end + n.sent,
        usage_reset_date = greatest(u.usage_reset_date, ${options.month})
      from (select sender_id, count(*) as sent from numbered group by sender_id) n
      where u.id = n.sender_id
    ), accepted as (
      update contacts c set state = 'accepted'
      from numbered n
      where c.user_id = n.sender_id and c.chat_room_id = n.chat_room_id and c.state <> 'accepted'
      returning c.user_id, c.chat_room_id
    )
    -- Raw SQL brings a bigint as text, hence the casts: every seq is exact as a double.
    select l.ruling as verdict, coalesce(n.seq, l.known_seq)::float8 as seq,
      l.room_generation as generation, l.room_group_id as "groupId", l.room_epoch as epoch, l.last_seq::float8 as "lastSeq",
      l.needs_commit as "needsCommit", l.messages_per_month as "messagesPerMonth",
      array(select m.user_id::text from chat_participants m where m.chat_room_id = l.chat_room_id) as members,
      coalesce(told.listeners, '{}') as listeners, coalesce(told.lapsed, '{}') as lapsed,
      exists (select from accepted a where a.user_id = l.sender_id and a.chat_room_id = l.chat_room_id) as "hasAccepted"
    from limited l
    left join numbered n on n.place = l.place
    left join (
      select place, array_agg(member_id::text) filter (where is_told) as listeners,
        array_agg(member_id::text) filter (where is_lapsed) as lapsed
      from audience group by place) told on told.place = l.place
    order by l.place`)
  return rows
}
