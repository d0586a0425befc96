import type pg from 'pg'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { openSince } from '../chatlocks/times.ts'
import type { AppendResult, NewMessage } from './append.ts'

/** Fields that most results lack. */
type More = Pick<
  AppendResult,
  | 'members'
  | 'open'
  | 'lapsed'
  | 'hasAccepted'
  | 'generation'
  | 'groupId'
  | 'epoch'
  | 'lastSeq'
  | 'needsCommit'
  | 'messagesPerMonth'
>

const APPEND =
  'select * from append_messages_v8($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)'

/**
 * Appends by one statement, a transaction of its own: at most one message of a room and a sender. Returns results in order, after
 * COMMIT.
 */
export async function appendMessages(pool: pg.Pool, messages: NewMessage[], now: Date): Promise<AppendResult[]> {
  const { rows } = await pool.query<Row>({
    name: 'append',
    text: APPEND,
    rowMode: 'array',
    values: [
      messages.map((each) => each.session),
      messages.map((each) => each.senderId),
      messages.map((each) => each.chatRoomId),
      messages.map((each) => each.id),
      messages.map((each) => each.content),
      messages.map((each) => each.messageType),
      messages.map((each) => each.filePath),
      messages.map((each) => each.fileName),
      messages.map((each) => each.fileSize),
      messages.map((each) => each.replyToId),
      messages.map((each) => each.sealedFor?.groupId ?? null),
      messages.map((each) => each.sealedFor?.epoch ?? null),
      messages.map((each) => each.isSilent),
      now,
      new Date(now.getTime() - LIMITS.sessionIdleSeconds * 1000),
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
      openSince(now),
      messages.map((each) => each.fileId),
      messages.map((each) => each.isCounted),
      messages.map((each) => each.takesBack?.join(' ') ?? null),
      messages.map((each) => each.lifetime),
      messages.map((each) => each.isOnce),
      messages.map((each) => each.opens),
    ],
  })
  return rows.map((row) => resultOf(row, now))
}

type Row = [verdict: AppendResult['verdict'], seq: number | null, listeners: string | null, more: Partial<More> | null]

/** V8 gives a spread object its own shape, which slows its readers. */
function resultOf([verdict, seq, listeners, more]: Row, createdAt: Date): AppendResult {
  return {
    verdict,
    seq,
    createdAt,
    listeners: listeners === null ? [] : listeners.split(' '),
    members: more?.members ?? [],
    open: more?.open ?? null,
    lapsed: more?.lapsed ?? [],
    hasAccepted: more?.hasAccepted ?? false,
    generation: more?.generation ?? null,
    groupId: more?.groupId ?? null,
    epoch: more?.epoch ?? null,
    lastSeq: more?.lastSeq ?? null,
    needsCommit: more?.needsCommit ?? null,
    messagesPerMonth: more?.messagesPerMonth ?? null,
  }
}
