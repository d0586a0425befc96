import { z } from 'zod'
import type { Content, Hide, Target } from '../../../contract/chat/content.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { isProven, messageAt, type StoredMessage } from '../vault/storedMessage.ts'
import { recordWrite, roomRecord } from '../vault/storedRoom.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf, type VaultValue } from '../vault/vaultRows.ts'
import { dropTraces } from './dropDeleted.ts'
import { endWrites } from './lifetimes.ts'
import { newRow, newWrites, outboxOf, withOutbox } from './outbox.ts'
import { nextOrder } from './queue.ts'
import { HIDING, hiddenKey } from './takenActs.ts'

/** Names of a chat. Of more, the oldest come back in a browser that is added later. */
const HIDDEN_MAX = 2000

const namesShape: z.ZodType<Record<string, number>> = z
  .record(z.string(), z.number())
  // Builds of before kept a list.
  .or(z.array(z.string()).transform((names) => Object.fromEntries(names.map((name, place) => [name, place] as const))))

/** `seq` of its entry. */
export type ToldHide = Hide & { seq: number }

const NOT_YET = Number.MAX_SAFE_INTEGER

const nameOf = ({ senderId, id }: Target): string => `${senderId} ${id}`

/** Call inside the notes' lock. */
export async function hideWrites(vault: Vault, hides: ToldHide[]): Promise<Write[]> {
  const writes: Write[] = []
  for (const room of new Set(hides.map((hide) => hide.room))) {
    const inIt = hides.filter((hide) => hide.room === room)
    const row = await vault.get('sealed', hiddenKey(room))
    const names = {
      ...(row && jsonOf(namesShape, row)),
      ...Object.fromEntries(inIt.map(({ target, seq }) => [nameOf(target), seq])),
    }
    const newest = Object.entries(names)
      .sort(([, a], [, b]) => a - b)
      .slice(-HIDDEN_MAX)
    writes.push({ store: 'sealed', key: hiddenKey(room), value: { json: Object.fromEntries(newest) } })
    for (const { target, at } of inIt)
      writes.push({ store: 'sealed', key: `${HIDING}${room} ${at}`, value: { json: nameOf(target) } })
  }
  return writes
}

/** `row`: the names. `gone`: proven. What is sealed goes once it opens. */
export function withoutHidden(row: VaultValue, entries: StoredMessage[]): { entries: StoredMessage[]; gone: StoredMessage[] } {
  const names = jsonOf(namesShape, row)
  const isHidden = (entry: StoredMessage) => Object.hasOwn(names, nameOf(entry)) && canGo(entry)
  const emptied = ({ lifetime: _, acts: __, ...rest }: StoredMessage): StoredMessage => ({
    ...rest,
    body: { kind: 'act', act: null },
  })
  return {
    entries: entries.map((entry) => (isHidden(entry) ? emptied(entry) : entry)),
    gone: entries.filter((entry) => isHidden(entry) && isProven(entry)),
  }
}

const canGo = ({ body }: StoredMessage): boolean => !['act', 'sealed'].includes(body.kind)

/** Keeps an entry for each, or none, and deletes them here. Returns the chats that changed. Throws 'queue_full'. */
export async function hideMessages(live: Live, { hides, sentAt }: { hides: Hide[]; sentAt: string }): Promise<string[]> {
  const chatRoomId = notesRoomId(live.userId)
  const keep = async () => {
    const order = await nextOrder(live, chatRoomId, hides.length)
    const rows = hides.map((content, index) =>
      newRow({ id: crypto.randomUUID(), chatRoomId, content, replyToId: null, sentAt }, order + index),
    )
    const told = hides.map((hide) => ({ ...hide, seq: NOT_YET }))
    await live.vault.write([...rows.flatMap(newWrites), ...(await hideWrites(live.vault, told))])
  }
  await inRoom(live, chatRoomId, () => withOutbox(live, chatRoomId, keep))
  return dropHidden(live)
}

/** Deletes what is hidden and still here. Leaves locked chats until they open. Returns the chats that changed. */
export async function dropHidden(live: Live): Promise<string[]> {
  const { vault } = live
  const due = new Map<string, number[]>()
  for (const key of await vault.keys('sealed', HIDING)) {
    const [room = '', at] = key.slice(HIDING.length).split(' ')
    due.set(room, [...(due.get(room) ?? []), Number(at)])
  }
  const changed: string[] = []
  for (const [room, places] of due) if ((await vault.isOpen(room)) && (await dropIn(live, room, places))) changed.push(room)
  return changed
}

const dropIn = (live: Live, chatRoomId: string, places: number[]): Promise<boolean> =>
  inRoom(live, chatRoomId, async () => {
    const { vault } = live
    const [record, unsent] = await Promise.all([roomRecord(vault, chatRoomId), outboxOf(live, chatRoomId)])
    const gone: Content[] = []
    const writes: Write[] = []
    for (const at of places) {
      const key = `${HIDING}${chatRoomId} ${at}`
      const [row, entry] = await Promise.all([vault.get('sealed', key), messageAt(vault, chatRoomId, at)])
      writes.push({ store: 'sealed', key, value: null })
      if (!row || !entry || jsonOf(z.string(), row) !== nameOf(entry) || !canGo(entry)) continue
      if (entry.body.kind === 'content') gone.push(entry.body.content)
      writes.push(...(await endWrites(vault, entry, unsent)))
    }
    const isChanged = record !== undefined && writes.length > places.length
    if (isChanged) writes.push(recordWrite(chatRoomId, { ...record, changes: (record.changes ?? 0) + 1 }))
    await vault.write(writes)
    if (gone.length > 0) await dropTraces(live, chatRoomId, gone)
    return isChanged
  })
