import { z } from 'zod'
import { type Content, readContent } from '../../contract/content.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { exclusive } from '../vault/exclusive.ts'
import { jsonOf } from '../vault/rows.ts'
import type { Write } from '../vault/vault.ts'
import { readBook, seenVersion } from './book.ts'
import { type Live, leafDevice } from './live.ts'
import { sealMessage } from './message.ts'
import { unlistedIn, versionsOf } from './peers.ts'
import { type Place, storeRoom, withRoom } from './room.ts'
import { stated } from './transcript.ts'

/** A message that the server has not acknowledged. `envelope`: the sealed bytes, kept so that a retry sends the same. */
export interface OutboxRow {
  id: string
  chatRoomId: string
  /** Rises with each message of this device: the order of sending. */
  order: number
  /** null: of a kind that this build does not know. A newer tab of this browser wrote it, and sends it. */
  content: Content | null
  replyToId: string | null
  /** ISO 8601, the device's clock. */
  sentAt: string
  envelope: string | null
  /** Why the person has to decide: the server's words. */
  failure: string | null
}

/** What this device remembers of a message until its place in the log is known: MLS does not open own messages. */
export interface OwnRow {
  /** As it was written, by a build of any age: ask `readContent`. */
  content: unknown
  /** Its place in the outbox. */
  order: number
  /** ISO 8601, this device's clock; absent in rows of before. */
  sentAt?: string
  /** The newest sealed bytes; null before the first. They outlive the outbox row: they may be on the server. */
  envelope: string | null
}

/**
 * One change of a room's outbox at a time, across tabs. Taken inside the room's lock where both are needed: sealing and settling
 * must not meet a change that the person makes meanwhile.
 */
export const withOutbox = <T>(live: Live, chatRoomId: string, work: () => Promise<T>): Promise<T> =>
  exclusive(`conclave/${live.userId}/${chatRoomId}/outbox`, work)

/** As it lies in the vault: content of any kind, and what a newer build has added. */
const keptShape = z.looseObject({
  id: z.string(),
  chatRoomId: z.string(),
  order: z.number(),
  content: z.unknown(),
  replyToId: z.string().nullable(),
  sentAt: z.string(),
  envelope: z.string().nullable(),
  failure: z.string().nullable(),
})
type KeptRow = z.infer<typeof keptShape>

const ownShape = z.looseObject({
  content: z.unknown(),
  order: z.number(),
  sentAt: z.string().exactOptional(),
  envelope: z.string().nullable(),
})

const shown = (row: KeptRow): OutboxRow => ({ ...row, content: readContent(row.content) ?? null })

const outboxWrite = (row: KeptRow): Write => ({ store: 'outbox', key: [row.chatRoomId, row.order], value: { json: row } })
const ownWrite = (id: string, own: OwnRow | null): Write => ({ store: 'own', key: id, value: own && { json: own } })

/** The changes that take a message out of the outbox: the log has it. */
export const settledWrites = (chatRoomId: string, id: string, { order }: OwnRow): Write[] => [
  ownWrite(id, null),
  { store: 'outbox', key: [chatRoomId, order], value: null },
]

/** What a room still has to send, in order. */
export async function outboxOf({ vault }: Live, chatRoomId: string): Promise<OutboxRow[]> {
  return (await vault.all('outbox', chatRoomId)).map(({ value }) => shown(jsonOf(keptShape, value)))
}

/** The rooms that have something to send. */
export async function roomsWithOutbox({ vault }: Live): Promise<string[]> {
  return [...new Set((await vault.all('outbox')).map(({ key: [chatRoomId] }) => chatRoomId))]
}

/** Keeps a message before anything else happens to it: a reload or a crash does not lose it. */
export function keepInOutbox(
  live: Live,
  row: Pick<OutboxRow, 'id' | 'chatRoomId' | 'replyToId' | 'sentAt'> & { content: Content },
): Promise<OutboxRow> {
  return withOutbox(live, row.chatRoomId, async () => {
    const last = (await outboxOf(live, row.chatRoomId)).at(-1)
    const order = Math.max((last?.order ?? 0) + 1, Date.now() * 1000)
    const kept = { ...row, order, envelope: null, failure: null }
    await live.vault.write([
      outboxWrite(kept),
      ownWrite(row.id, { content: row.content, order, sentAt: row.sentAt, envelope: null }),
    ])
    return kept
  })
}

/** What this device remembers of a message of its own. */
export async function ownRow({ vault }: Live, id: string): Promise<OwnRow | undefined> {
  const row = await vault.get('own', id)
  return row && jsonOf(ownShape, row)
}

interface Kept {
  row: KeptRow
  own: OwnRow
}

/** One row and its memory, without reading the others. */
async function keptOf(live: Live, chatRoomId: string, id: string): Promise<Kept | undefined> {
  const own = await ownRow(live, id)
  const row = own && (await live.vault.get('outbox', [chatRoomId, own.order]))
  return own && row && { row: jsonOf(keptShape, row), own }
}

/** Changes one row: a failure to show, or none to try again; `unseal` drops sealed bytes that the room has outrun. */
export function changeOutbox(
  live: Live,
  input: { chatRoomId: string; id: string; failure: string | null; unseal: boolean },
): Promise<void> {
  return withOutbox(live, input.chatRoomId, async () => {
    const kept = await keptOf(live, input.chatRoomId, input.id)
    if (!kept) return
    const envelope = input.unseal ? null : kept.row.envelope
    await live.vault.write([outboxWrite({ ...kept.row, failure: input.failure, envelope })])
  })
}

/** Takes a message out for good: the person deletes it, or it goes back to the composer. */
export function dropFromOutbox(live: Live, input: { chatRoomId: string; id: string }): Promise<void> {
  return withOutbox(live, input.chatRoomId, async () => {
    const kept = await keptOf(live, input.chatRoomId, input.id)
    if (!kept) return
    await live.vault.write([
      { store: 'outbox', key: [input.chatRoomId, kept.own.order], value: null },
      // Sealed bytes may be on their way: when the log shows them, they are known to be this device's [Note: V2].
      ...(kept.own.envelope === null ? [ownWrite(input.id, null)] : []),
    ])
  })
}

/**
 * The sealed bytes of an outbox row: those it has, or new ones under the room's current state. New state, bytes
 * and the memory of the text are stored in one transaction before the bytes are handed out [Note: M1]. A row of a kind that this
 * build does not know stays as it is.
 */
export function sealOutboxRow(live: Live, input: Place & { id: string }): Promise<OutboxRow | undefined> {
  const { chatRoomId, peerIds, id } = input
  return withRoom(live, chatRoomId, peerIds, ({ record, group, accounts }) =>
    withOutbox(live, chatRoomId, async () => {
      const kept = await keptOf(live, chatRoomId, id)
      if (!kept) return undefined
      const { row, own } = kept
      const content = readContent(row.content)
      if (row.envelope || !content) return shown(row)
      if (!record || !group) throw new CryptoFailure('outside', 'This device is not in the room yet')
      // [Note: D3] What was ready a moment ago may have changed in another tab.
      if (unlistedIn(group, accounts).length > 0)
        throw new CryptoFailure('not_ready', 'The devices in this room changed. Try again')
      const seen = record.transcript
      if (!seen) throw new CryptoFailure('not_ready', 'This device has not seen enough of the room. Try again')
      const sealed = await sealMessage(group, leafDevice(live), {
        id,
        chatRoomId,
        sentAt: row.sentAt,
        content,
        replyToId: row.replyToId,
        manifests: versionsOf(accounts),
        book: seenVersion(await readBook(live)),
        seen: stated(seen, record.cursor),
      })
      const sealedRow = { ...row, envelope: sealed.content }
      await storeRoom(live, chatRoomId, { record: { ...record, ownMessages: record.ownMessages + 1 }, group: sealed.group }, [
        outboxWrite(sealedRow),
        ownWrite(id, { ...own, envelope: sealed.content }),
      ])
      return shown(sealedRow)
    }),
  )
}

/** The words that stand in a room's composer. */
export async function readDraft({ vault }: Live, chatRoomId: string): Promise<string> {
  const row = await vault.get('sealed', `draft:${chatRoomId}`)
  return row ? jsonOf(z.string(), row) : ''
}

export const keepDraftText = ({ vault }: Live, input: { chatRoomId: string; text: string }): Promise<void> =>
  vault.write([{ store: 'sealed', key: `draft:${input.chatRoomId}`, value: input.text ? { json: input.text } : null }])
