import { z } from 'zod'
import type { Act, Content } from '../../../contract/chat/content.ts'
import { ACT_LIMITS, isDeletedBy, type ToldAct, withAct } from '../../../contract/chat/kinds/fold.ts'
import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
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
import { forgottenBegun } from './outbox.ts'

/** Acts that wait for one message: more are forgotten, the oldest first. */
const WAITING_MAX = 100

export const waitingActsIn = (chatRoomId: string) => `acts:${chatRoomId}:`
const placeKey = ({ chatRoomId }: { chatRoomId: string }, { senderId }: StoredMessage, seq: number) =>
  waitingKey({ chatRoomId, senderId, id: `@${seq}` })
const waitingKey = ({ chatRoomId, senderId, id }: MessageName) => `${waitingActsIn(chatRoomId)}${senderId}/${id}`

type Told = StoredMessage & { body: { kind: 'act'; act: Act } }

/** What a removed browser signs after its removal changes nothing. */
const isTold = (entry: StoredMessage | undefined): entry is Told =>
  entry?.body.kind === 'act' && entry.body.act !== null && !entry.isRemovedSince

export interface TakenActs {
  entries: StoredMessage[]
  /** Messages of the vault that became others. */
  changed: StoredMessage[]
  deleted: Content[]
  writes: Write[]
}

/**
 * Applies the acts among new entries, and those that waited for one of them [Note: M7]. Call inside the room's lock; the caller commits
 * the writes, then calls `dropDeleted`.
 */
export async function takeActs(vault: Vault, chatRoomId: string, entries: StoredMessage[]): Promise<TakenActs> {
  const at: Taking = {
    vault,
    chatRoomId,
    rows: new Map(entries.map((entry) => [entry.seq, entry])),
    said: saidIn(entries),
    reread: [],
    deleted: [],
    forgotten: [],
  }
  const waited = await takeWaiting(at, entries)
  const waiting = new Map<string, number[]>()
  for (const entry of entries)
    if (isTold(entry)) {
      const { act } = entry.body
      for (const [index, seq] of act.type === 'delete' ? act.places.entries() : [])
        if (!(await emptyPlace(at, seq, entry, index > 0))) await addWaiting(at, waiting, placeKey(at, entry, seq), entry.seq)
      const name = { chatRoomId, ...act.target }
      if (act.type === 'delete' && at.rows.get(act.places[0] ?? 0)?.body.kind === 'deleted') continue
      if (!(await applyTo(at, name, entry))) await addWaiting(at, waiting, waitingKey(name), entry.seq)
    }
  const isNew = new Set(entries.map(({ seq }) => seq))
  const rows = [...at.rows.values()]
  const changed = rows.filter(({ seq, body }) => !isNew.has(seq) && body.kind !== 'act')
  return {
    entries: entries.map((entry) => at.rows.get(entry.seq) ?? entry),
    changed: [...changed, ...rows.filter(({ seq, body }) => !isNew.has(seq) && isHidden(body))],
    deleted: at.deleted,
    writes: [
      ...rows.flatMap(messageWrites),
      ...lateWrites(chatRoomId, at.reread),
      ...waited,
      ...at.forgotten,
      ...[...waiting].map(waitingWrite),
    ],
  }
}

export const NOTHING_TAKEN: TakenActs = { entries: [], changed: [], deleted: [], writes: [] }

/** Applies what a build of before has kept as it came. */
export const takeStrays = (live: Live, chatRoomId: string, strays: StoredMessage[]): Promise<void> =>
  inRoom(live, chatRoomId, async () => {
    const record = await roomRecord(live.vault, chatRoomId)
    if (!record) return
    const taken = await takeActs(live.vault, chatRoomId, strays)
    await live.vault.write([...taken.writes, recordWrite(chatRoomId, withActs(record, taken))])
    await dropDeleted(live, chatRoomId, taken)
  })

/** Deletes the bytes of what was deleted. After a crash before that nobody has their key. */
export async function dropDeleted(live: Live, chatRoomId: string, { deleted }: TakenActs): Promise<void> {
  if (deleted.length > 0) await (await import('./dropDeleted.ts')).dropBytes(live, chatRoomId, deleted)
}

/** An edit or a deletion that nobody would count is not sent. Throws 'too_late'. */
export async function refuseLate(vault: Vault, chatRoomId: string, said: Act | Content): Promise<void> {
  if (said.type !== 'edit' && said.type !== 'delete') return
  const seq = await seqOfMessage(vault, { chatRoomId, ...said.target })
  const message = seq === undefined ? undefined : await messageAt(vault, chatRoomId, seq)
  const [limitMs, words] =
    said.type === 'edit' ? [ACT_LIMITS.editMs, 'edited within 24 hours'] : [ACT_LIMITS.deleteMs, 'deleted within 48 hours']
  if (message && Date.now() - Date.parse(message.sentAt ?? message.at) > limitMs)
    throw new CryptoFailure('too_late', `A message can be ${words}`)
}

/** Views read their messages anew. */
export const withActs = (record: RoomRecord, { changed }: Pick<TakenActs, 'changed'>): RoomRecord =>
  changed.length > 0 ? { ...record, changes: (record.changes ?? 0) + 1 } : record

interface Taking {
  vault: Vault
  chatRoomId: string
  rows: Map<number, StoredMessage>
  /** The seqs of new messages, by name. */
  said: Map<string, number>
  /** Messages of the vault with other words. */
  reread: StoredMessage[]
  deleted: Content[]
  forgotten: Write[]
}

const saidIn = (entries: StoredMessage[]) =>
  new Map(
    entries
      .filter((entry) => isProven(entry) && entry.body.kind !== 'act')
      .map((entry) => [messageName(entry), entry.seq] as const),
  )

async function takeWaiting(at: Taking, entries: StoredMessage[]): Promise<Write[]> {
  const { vault, chatRoomId, said } = at
  const keyOf = (entry: StoredMessage) => {
    if (entry.body.kind === 'withheld') return placeKey(at, entry, entry.seq)
    return said.has(messageName(entry)) ? waitingKey(entry) : undefined
  }
  const due = entries.flatMap(
    (entry) => [{ entry, key: keyOf(entry) }].filter(({ key }) => key !== undefined) as { entry: StoredMessage; key: string }[],
  )
  const keys = due.length > 0 ? new Set(await vault.keys('sealed', waitingActsIn(chatRoomId))) : new Set<string>()
  const writes: Write[] = []
  for (const { entry, key } of due) {
    if (!keys.has(key)) continue
    for (const seq of await waitingSeqs(vault, key)) {
      const told = await messageAt(vault, chatRoomId, -seq)
      if (!isTold(told)) continue
      if (entry.body.kind !== 'withheld') await applyTo(at, entry, told)
      else await emptyPlace(at, entry.seq, told, told.body.act.type === 'delete' && told.body.act.places[0] !== entry.seq)
    }
    for (const done of [key, waitingKey(entry)]) if (keys.has(done)) writes.push(waitingWrite([done, null]))
  }
  return writes
}

const seqsShape = z.array(z.number())

async function waitingSeqs(vault: Vault, key: string): Promise<number[]> {
  const row = await vault.get('sealed', key)
  return row ? jsonOf(seqsShape, row) : []
}

const waitingWrite = ([key, seqs]: [string, number[] | null]): Write => ({ store: 'sealed', key, value: seqs && { json: seqs } })

async function addWaiting({ vault }: Taking, waiting: Map<string, number[]>, key: string, seq: number): Promise<void> {
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
  const became = withAct(
    { ...toldAt(message), content: body.content, acts },
    { ...toldAt(entry), seq: entry.seq, act: entry.body.act },
  )
  if (became === 'deleted') {
    at.deleted.push(body.content)
    at.forgotten.push(...(await forgottenBegun(at.vault, name)))
    put(at, { ...rest, body: { kind: 'deleted' } }, true)
    await dropTexts(at, [...(acts?.edits ?? []), entry.seq])
  } else if (became) {
    put(at, { ...message, acts: became }, became.edit !== acts?.edit)
    const gone = acts?.edits?.filter((seq) => !became.edits?.includes(seq)) ?? []
    await dropTexts(at, gone)
  }
  return true
}

/**
 * Explains a place that the server has emptied: a deleted message, or one of its edits, of which nothing shows. Returns false if the
 * place is not here.
 */
async function emptyPlace(at: Taking, seq: number, entry: Told, isEdit: boolean): Promise<boolean> {
  const { vault, chatRoomId, rows } = at
  const { senderId, body } = entry
  const row = rows.get(seq) ?? (await messageAt(vault, chatRoomId, seq))
  if (!row) return (await messageAt(vault, chatRoomId, -seq)) !== undefined
  if (row.body.kind !== 'withheld' || row.senderId !== senderId) return true
  const { at: time } = entry
  const told = { senderId, at: time, sentAt: time, seq: entry.seq, act: body.act }
  if (isEdit) rows.set(seq, { ...row, body: HIDDEN })
  else if (row.id === body.act.target.id && isDeletedBy({ senderId, at: row.at, sentAt: row.at }, told))
    rows.set(seq, { ...row, body: { kind: 'deleted' } })
  return true
}

const HIDDEN = { kind: 'act', act: null } as const
const isHidden = (body: StoredMessage['body']) => body.kind === 'act' && body.act === null

async function find({ vault, chatRoomId, rows, said }: Taking, name: MessageName): Promise<StoredMessage | undefined> {
  const seq = said.get(messageName(name)) ?? (await seqOfMessage(vault, name))
  return seq === undefined ? undefined : (rows.get(seq) ?? (await messageAt(vault, chatRoomId, seq)))
}

const toldAt = ({ senderId, at, sentAt = at }: StoredMessage): Pick<ToldAct, 'senderId' | 'at' | 'sentAt'> => ({
  senderId,
  at,
  sentAt,
})

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
