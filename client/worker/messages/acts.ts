import { z } from 'zod'
import type { Act } from '../../../contract/chat/content.ts'
import { type ToldAct, withAct } from '../../../contract/chat/kinds/fold.ts'
import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { lateWrites } from '../searchindex/lateMessages.ts'
import {
  isProven,
  type MessageName,
  messageAt,
  messageName,
  messageWrites,
  type StoredMessage,
  seqOfMessage,
} from '../vault/storedMessage.ts'
import { type RoomRecord, recordWrite, roomRecord } from '../vault/storedRoom.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

/** Acts that wait for one message: more are forgotten, the oldest first. */
const WAITING_MAX = 100

export const waitingActsIn = (chatRoomId: string) => `acts:${chatRoomId}:`
const waitingKey = ({ chatRoomId, senderId, id }: MessageName) => `${waitingActsIn(chatRoomId)}${senderId}/${id}`

type Told = StoredMessage & { body: { kind: 'act'; act: Act } }

/** What a removed browser signs after its removal changes nothing. */
const isTold = (entry: StoredMessage | undefined): entry is Told =>
  entry?.body.kind === 'act' && entry.body.act !== null && !entry.isRemovedSince

export interface TakenActs {
  /** The new entries, as they became. */
  entries: StoredMessage[]
  /** Messages of the vault that became others. */
  changed: StoredMessage[]
  writes: Write[]
}

/**
 * Applies the acts among new entries, and those that waited for one of them [Note: M7]. Call inside the room's lock; the caller commits
 * the writes.
 */
export async function takeActs(vault: Vault, chatRoomId: string, entries: StoredMessage[]): Promise<TakenActs> {
  const at: Taking = { vault, chatRoomId, rows: new Map(entries.map((entry) => [entry.seq, entry])), said: saidIn(entries), reread: [] }
  const waited = await takeWaiting(at)
  const waiting = new Map<string, number[]>()
  for (const entry of entries)
    if (isTold(entry)) {
      const name = { chatRoomId, ...entry.body.act.target }
      if (!(await applyTo(at, name, entry))) await addWaiting(at, waiting, name, entry.seq)
    }
  const isNew = new Set(entries.map(({ seq }) => seq))
  const rows = [...at.rows.values()]
  const changed = rows.filter(({ seq, body }) => !isNew.has(seq) && body.kind !== 'act')
  return {
    entries: entries.map((entry) => at.rows.get(entry.seq) ?? entry),
    changed,
    writes: [...rows.flatMap(messageWrites), ...lateWrites(chatRoomId, at.reread), ...waited, ...[...waiting].map(waitingWrite)],
  }
}

export const NOTHING_TAKEN: TakenActs = { entries: [], changed: [], writes: [] }

/** Applies what a build of before has kept as it came. */
export const takeStrays = (live: Live, chatRoomId: string, strays: StoredMessage[]): Promise<void> =>
  inRoom(live, chatRoomId, async () => {
    const record = await roomRecord(live.vault, chatRoomId)
    if (!record) return
    const taken = await takeActs(live.vault, chatRoomId, strays)
    await live.vault.write([...taken.writes, recordWrite(chatRoomId, withActs(record, taken))])
  })

/** Views read their messages anew. */
export const withActs = (record: RoomRecord, { changed }: TakenActs): RoomRecord =>
  changed.length > 0 ? { ...record, changes: (record.changes ?? 0) + 1 } : record

interface Taking {
  vault: Vault
  chatRoomId: string
  /** What is written, by seq. */
  rows: Map<number, StoredMessage>
  /** The seqs of new messages, by name. */
  said: Map<string, number>
  /** Messages of the vault with other words. */
  reread: StoredMessage[]
}

const saidIn = (entries: StoredMessage[]) =>
  new Map(
    entries
      .filter((entry) => isProven(entry) && entry.body.kind !== 'act')
      .map((entry) => [messageName(entry), entry.seq] as const),
  )

/** Applies what waited for a new message. */
async function takeWaiting(at: Taking): Promise<Write[]> {
  const { vault, chatRoomId, rows, said } = at
  const keys = said.size > 0 ? new Set(await vault.keys('sealed', waitingActsIn(chatRoomId))) : new Set<string>()
  const writes: Write[] = []
  for (const message of keys.size > 0 ? [...rows.values()] : []) {
    const key = waitingKey(message)
    if (!said.has(messageName(message)) || !keys.has(key)) continue
    for (const seq of await waitingSeqs(vault, key)) {
      const entry = await messageAt(vault, chatRoomId, -seq)
      if (isTold(entry)) await applyTo(at, message, entry)
    }
    writes.push(waitingWrite([key, null]))
  }
  return writes
}

const seqsShape = z.array(z.number())

async function waitingSeqs(vault: Vault, key: string): Promise<number[]> {
  const row = await vault.get('sealed', key)
  return row ? jsonOf(seqsShape, row) : []
}

const waitingWrite = ([key, seqs]: [string, number[] | null]): Write => ({ store: 'sealed', key, value: seqs && { json: seqs } })

async function addWaiting({ vault }: Taking, waiting: Map<string, number[]>, name: MessageName, seq: number): Promise<void> {
  const key = waitingKey(name)
  const before = waiting.get(key) ?? (await waitingSeqs(vault, key))
  waiting.set(key, [...new Set([...before, seq])].slice(-WAITING_MAX))
}

/** Returns false if the message is not here. */
async function applyTo(at: Taking, name: MessageName, entry: Told): Promise<boolean> {
  const message = await find(at, name)
  if (!message) return false
  const { body, acts, ...rest } = message
  if (body.kind === 'deleted') await dropTexts(at, [entry.seq])
  if (body.kind !== 'content') return true
  const became = withAct({ ...toldAt(message), content: body.content, acts }, { ...toldAt(entry), seq: entry.seq, act: entry.body.act })
  if (became === 'deleted') {
    put(at, { ...rest, body: { kind: 'deleted' } }, true)
    await dropTexts(at, [...(acts?.edits ?? []), entry.seq])
  } else if (became) {
    put(at, { ...message, acts: became }, became.edit !== acts?.edit)
    const gone = acts?.edits?.filter((seq) => !became.edits?.includes(seq)) ?? []
    await dropTexts(at, gone)
  }
  return true
}

async function find({ vault, chatRoomId, rows, said }: Taking, name: MessageName): Promise<StoredMessage | undefined> {
  const seq = said.get(messageName(name)) ?? (await seqOfMessage(vault, name))
  return seq === undefined ? undefined : (rows.get(seq) ?? (await messageAt(vault, chatRoomId, seq)))
}

const toldAt = ({ senderId, at, sentAt = at }: StoredMessage): Pick<ToldAct, 'senderId' | 'at' | 'sentAt'> => ({ senderId, at, sentAt })

function put(at: Taking, message: StoredMessage, hasOtherWords: boolean): void {
  at.rows.set(message.seq, message)
  if (hasOtherWords && !at.said.has(messageName(message)))
    at.reread = [...at.reread.filter(({ seq }) => seq !== message.seq), message]
}

/** The texts of edits go; their places and hashes stay. */
async function dropTexts({ vault, chatRoomId, rows }: Taking, seqs: number[]): Promise<void> {
  for (const seq of seqs) {
    const entry = rows.get(seq) ?? (await messageAt(vault, chatRoomId, -seq))
    if (isTold(entry) && entry.body.act.type === 'edit') rows.set(seq, { ...entry, body: { kind: 'act', act: null } })
  }
}
