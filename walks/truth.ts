import type { World } from './people.ts'

export interface Truth {
  /** The newest seq of the room, of a message or a commit. */
  lastSeq: number
  /** The sender of each message, by seq. */
  senders: Map<number, string>
  /** Senders of acts and call lines, which a browser without their key shows too. */
  silent: Map<number, string>
  /** Places that their author has taken back. */
  emptied: Set<number>
  /** The marks and the unread count of each account, by user id. */
  marks: Map<string, Marks>
}

/** Reads what the server has. */
export async function truthOf({ server, chatRoomId }: World): Promise<Truth> {
  const rows = await server.sql(
    `select seq, sender_id, is_silent, content = '' as is_empty from messages
     where room = (select number from chat_rooms where id = $1) order by seq`,
    [chatRoomId],
  )
  const [room] = await server.sql('select last_seq from chat_rooms where id = $1', [chatRoomId])
  const sendersOf = (isSilent: boolean) =>
    new Map(rows.filter((row) => row['is_silent'] === isSilent).map((row) => [Number(row['seq']), String(row['sender_id'])]))
  const emptied = new Set(rows.filter((row) => row['is_empty'] === true).map((row) => Number(row['seq'])))
  const members = await server.sql('select * from chat_participants where chat_room_id = $1', [chatRoomId])
  const marks = members.map(
    (row) =>
      [
        String(row['user_id']),
        { deliveredSeq: Number(row['delivered_seq']), readSeq: Number(row['read_seq']), unread: Number(row['unread_count']) },
      ] as const,
  )
  return {
    lastSeq: Number(room?.['last_seq'] ?? 0),
    senders: sendersOf(false),
    silent: sendersOf(true),
    emptied,
    marks: new Map(marks),
  }
}

export interface Marks {
  deliveredSeq: number
  readSeq: number
  unread: number
}

export const NOTHING_READ: Marks = { deliveredSeq: 0, readSeq: 0, unread: 0 }
