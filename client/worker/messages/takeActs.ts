import type { Content, MessageAct } from '../../../contract/chat/content.ts'
import { type ToldAct, withAct } from '../../../contract/chat/kinds/fold.ts'
import { isMessageAct } from '../../../contract/chat/kinds/kinds.ts'
import { PINS_MAX, type Pinned, pinnedIn, pinOf, withPins } from '../../../contract/chat/kinds/pin.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import type { Live } from '../keys/live.ts'
import { rereadWrite } from '../searchindex/lateMessages.ts'
import {
  isProven,
  type MessageName,
  messageAt,
  messageName,
  messageWrites,
  nameWrite,
  type StoredMessage,
  seqOfMessage,
} from '../vault/storedMessage.ts'
import { roomRecord } from '../vault/storedRoom.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { forgottenBegun } from './begunRows.ts'
import { emptyPlace, explainOpened, hasPlace, isHidden, type Told } from './emptiedPlaces.ts'
import { hideWrites, type ToldHide } from './hidden.ts'
import { keptMarks, type Marks, marksWrite, withMark } from './marks.ts'
import { isOnce, spent } from './once.ts'
import type { TakenActs, Waited } from './takenActs.ts'
import { openWaiting } from './waitingActs.ts'

const isTold = (entry: StoredMessage | undefined): entry is Told => entry?.body.kind === 'act' && entry.body.act !== null

const isOfMessage = (entry: StoredMessage | undefined): entry is Told<MessageAct> =>
  isTold(entry) && !entry.isRemovedSince && isMessageAct(entry.body.act)

export async function takeActs(
  { vault, userId }: Live,
  { chatRoomId, hasWaitingActs, pins = [] }: Waited,
  entries: StoredMessage[],
  gone: StoredMessage[] = [],
): Promise<TakenActs> {
  const at: Taking = {
    vault,
    userId,
    chatRoomId,
    rows: new Map(entries.map((entry) => [entry.seq, entry])),
    said: saidIn(entries),
    gone: new Set(gone.map(messageName)),
    reread: [],
    deleted: [],
    forgotten: [],
    waiting: openWaiting(vault, chatRoomId),
    pins: [],
    hides: [],
  }
  if (hasWaitingActs) {
    await takeWaiting(at, entries)
    await dropTexts(at, (await at.waiting.takeNames(gone)).flat())
  }
  for (const entry of entries) {
    if (isOfMessage(entry)) await take(at, entry)
    else if (isTold(entry)) await takeRoomAct(at, entry)
  }
  const isNew = new Set(entries.map(({ seq }) => seq))
  const rows = [...at.rows.values()]
  const changed = rows.filter(({ seq, body }) => !isNew.has(seq) && body.kind !== 'act')
  return {
    entries: entries.map((entry) => at.rows.get(entry.seq) ?? entry),
    changed: [...changed, ...rows.filter(({ seq, body }) => !isNew.has(seq) && isHidden(body))],
    deleted: at.deleted,
    ...(at.pins.length > 0 && { roomChange: { pins: withPins(pins, at.pins) } }),
    isWaiting: at.waiting.isWaiting(),
    writes: [
      ...rows.flatMap(messageWrites),
      ...gone.map(nameWrite),
      ...at.reread.map((message) => rereadWrite(chatRoomId, message)),
      ...at.forgotten,
      ...at.waiting.writes(),
      ...(at.marks ? [marksWrite(at.marks)] : []),
      ...(await hideWrites(vault, at.hides)),
    ],
  }
}

interface Taking {
  vault: Vault
  userId: string
  chatRoomId: string
  rows: Map<number, StoredMessage>
  /** The seqs of new messages, by name. */
  said: Map<string, number>
  gone: ReadonlySet<string>
  /** Messages of the vault with other words. */
  reread: StoredMessage[]
  deleted: Content[]
  forgotten: Write[]
  waiting: ReturnType<typeof openWaiting>
  marks?: Marks
  pins: Pinned[]
  hides: ToldHide[]
}

/** Only notes have marks, and only their owner's, also of a browser that was removed since [Note: M13]. */
async function takeRoomAct(at: Taking, { senderId, seq, isRemovedSince, body: { act } }: Told): Promise<void> {
  if (act.type === 'pin') return isRemovedSince ? undefined : void at.pins.push(pinOf(act, seq))
  if (at.chatRoomId !== notesRoomId(senderId) || isMessageAct(act)) return
  if (act.type === 'hide') at.hides.push({ ...act, seq })
  else at.marks = withMark(at.marks ?? (await keptMarks(at.vault)), act, seq)
}

const saidIn = (entries: StoredMessage[]) =>
  new Map(
    entries
      .filter((entry) => isProven(entry) && entry.body.kind !== 'act')
      .map((entry) => [messageName(entry), entry.seq] as const),
  )

async function take(at: Taking, entry: Told<MessageAct>): Promise<void> {
  const { chatRoomId, waiting } = at
  const { act } = entry.body
  if (act.type === 'delete') {
    for (const [index, place] of act.places.entries())
      if (place < entry.seq && !(await emptyPlace(at, place, entry, index > 0))) await waiting.addPlace(entry, place, entry.seq)
    if (at.rows.get(act.places[0] ?? 0)?.body.kind === 'deleted') return
  }
  if (act.type === 'opened') {
    const author = { chatRoomId, senderId: act.target.senderId }
    if (await explainOpened(at, act.place, entry)) return
    if (act.place < entry.seq && !(await hasPlace(at, act.place))) await waiting.addPlace(author, act.place, entry.seq, true)
  }
  const name = { chatRoomId, ...act.target }
  if (!(await applyTo(at, name, entry))) await waiting.addName(name, entry.seq)
}

async function takeWaiting(at: Taking, entries: StoredMessage[]): Promise<void> {
  const { waiting } = at
  const fresh = entries.filter((entry) => at.said.has(messageName(entry)))
  for (const [index, seqs] of (await waiting.takeNames(fresh)).entries())
    for (const seq of seqs) {
      const [message, told] = [fresh[index], await actAt(at, seq)]
      if (message && told) await applyTo(at, message, told)
    }
  for (const entry of entries) {
    if (entry.body.kind !== 'withheld') continue
    const told = await actAt(at, await waiting.takePlace(entry, entry.seq))
    const { act } = told?.body ?? {}
    if (told && act?.type === 'opened' && (await explainOpened(at, entry.seq, told))) await waiting.takeNames([entry])
    if (!told || act?.type !== 'delete') continue
    const isEdit = act.places[0] !== entry.seq
    await emptyPlace(at, entry.seq, told, isEdit)
    // What is empty needs nothing else.
    if (!isEdit) await waiting.takeNames([entry])
  }
}

async function actAt({ vault, chatRoomId }: Taking, seq: number | undefined): Promise<Told<MessageAct> | undefined> {
  const entry = seq === undefined ? undefined : await messageAt(vault, chatRoomId, -seq)
  return isOfMessage(entry) ? entry : undefined
}

/** Returns false if the message is not here. */
async function applyTo(at: Taking, name: MessageName, entry: Told<MessageAct>): Promise<boolean> {
  const message = await find(at, name)
  if (!message) {
    const isOver = await isGone(at, name)
    if (isOver) await dropTexts(at, [entry.seq])
    return isOver
  }
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
    const now = became.opened?.[at.userId] && isOnce(message) ? spent(message) : message
    put(at, { ...now, acts: became }, became.edit !== acts?.edit)
    const gone = acts?.edits?.filter((seq) => !became.edits?.includes(seq)) ?? []
    await dropTexts(at, gone)
  }
  return true
}

async function find({ vault, chatRoomId, rows, said }: Taking, name: MessageName): Promise<StoredMessage | undefined> {
  const seq = said.get(messageName(name)) ?? (await seqOfMessage(vault, name))
  return seq === undefined ? undefined : (rows.get(seq) ?? (await messageAt(vault, chatRoomId, seq)))
}

/** True for a message that has ended [Note: M9], or is deleted for oneself. */
async function isGone({ vault, chatRoomId, gone }: Taking, name: MessageName): Promise<boolean> {
  if (gone.has(messageName(name))) return true
  const seq = await seqOfMessage(vault, name)
  return seq !== undefined && (await messageAt(vault, chatRoomId, -seq)) !== undefined
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

/** Returns what is pinned and neither deleted, ended nor cleared. */
export async function pinsIn(vault: Vault, chatRoomId: string): Promise<Pinned[]> {
  const { pins = [], from = 0, cleared = 0 } = (await roomRecord(vault, chatRoomId)) ?? {}
  const live: Pinned[] = []
  for (const pin of pinnedIn(pins)) {
    if (live.length === PINS_MAX) break
    const row = pin.place < from ? undefined : await messageAt(vault, chatRoomId, pin.place)
    const isThere = row?.id === pin.id && row.senderId === pin.senderId && !['deleted', 'withheld'].includes(row.body.kind)
    // What lies before the first message here may be found.
    if (pin.place < from ? pin.place > cleared : isThere) live.push(pin)
  }
  return live
}
