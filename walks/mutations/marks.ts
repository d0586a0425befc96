import type { Mutation } from './mutation.ts'

/** How far somebody has received and read, what counts as unread, and who learns of it. */
export const marks: Mutation[] = [
  {
    name: 'A read mark goes back',
    file: 'server/chat/messages/store.ts',
    from: 'lt(chatParticipants.readSeq, sql`target.seq`)',
    to: 'ne(chatParticipants.readSeq, sql`target.seq`)',
    test: 'server/chat/messages/messages.test.ts',
  },
  {
    name: 'A delivered mark goes back',
    file: 'server/chat/messages/store.ts',
    from: 'lt(chatParticipants.deliveredSeq, sql`target.seq`)',
    to: 'sql`target.seq > 0`',
    test: 'server/chat/messages/messages.test.ts',
  },
  {
    name: 'A read mark goes past the end of the log',
    file: 'server/chat/messages/store.ts',
    from: "select least(coalesce(${sql.placeholder('seq')}::bigint, last_seq), last_seq) as seq",
    to: "select coalesce(${sql.placeholder('seq')}::bigint, last_seq) as seq",
    test: 'server/chat/messages/messages.test.ts',
  },
  {
    name: 'Reading subtracts the own messages from what is unread',
    file: 'server/chat/messages/store.ts',
    from: 'where passed.sender_id <> ${chatParticipants.userId} and not passed.is_silent)',
    to: 'where not passed.is_silent)',
    test: 'server/chat/messages/messages.test.ts',
  },
  {
    name: 'A silent message counts as unread',
    file: 'server/ground/db/functions/append.sql',
    from: 'CASE WHEN is_own OR is_silent THEN m.unread_count WHEN',
    to: 'CASE WHEN is_own THEN m.unread_count WHEN',
    test: 'server/chat/rooms/append.test.ts',
  },
  {
    name: 'Who writes has read what stands above it unread',
    file: 'server/ground/db/functions/append.sql',
    from: 'CASE WHEN is_own AND m.unread_count = 0 THEN seq ELSE m.read_seq END',
    to: 'CASE WHEN is_own THEN seq ELSE m.read_seq END',
    test: 'server/chat/messages/messages.test.ts',
  },
  {
    name: 'A request that nobody has accepted rings the bell',
    file: 'server/ground/db/functions/uncounted.sql',
    from: "IF TG_OP <> 'DELETE' AND NEW.state = 'accepted' THEN",
    to: "IF TG_OP <> 'DELETE' AND NEW.state <> 'declined' THEN",
    test: 'server/chat/notifications/notifications.test.ts',
  },
  {
    name: 'The frame of a mark tells that somebody has read who hides it',
    file: 'server/chat/messages/marks.ts',
    from: 'data: { ...mark, readSeq: 0 } }',
    to: 'data: { ...mark, readSeq } }',
    test: 'server/people/privacy/privacy.test.ts',
  },
  {
    name: 'Whoever is blocked is told how far the other one reads',
    file: 'server/chat/messages/store.ts',
    from: 'where a.is_told and (${chatParticipants.shownReadSeq} is null or a.member_id = ${chatParticipants.userId}))`',
    to: 'where a.is_told)`',
    test: 'server/chat/contacts/block.test.ts',
  },
  {
    name: 'A late receipt takes a mark on the screen back',
    file: 'client/rooms/list/room.ts',
    from: 'deliveredSeq: Math.max(before.deliveredSeq, deliveredSeq)',
    to: 'deliveredSeq',
    test: 'client/rooms/list/room.test.ts',
  },
  {
    name: 'A request that somebody looks at is marked as read before it is accepted',
    file: 'client/chat/messages/markSeen.ts',
    from: ' || !isFollowed(room)',
    to: '',
    test: 'client/chat/messages/unread.test.ts',
  },
]
