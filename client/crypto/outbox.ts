import type { Content } from '../../contract/content.ts'
import { exclusive } from './exclusive.ts'
import { CryptoFailure } from './failure.ts'
import { type Live, leafDevice } from './live.ts'
import { sealMessage } from './message.ts'
import { pairOf } from './peers.ts'
import { roomWrites, withRoom } from './room.ts'
import type { Write } from './vault.ts'

/** A message that the server has not acknowledged. `envelope`: the sealed bytes, kept so that a retry sends the same. */
export interface OutboxRow {
  id: string
  chatRoomId: string
  /** Rises with each message of this device: the order of sending. */
  order: number
  content: Content
  replyToId: string | null
  /** ISO 8601, the device's clock. */
  sentAt: string
  envelope: string | null
  /** Why the person has to decide: the server's words. */
  failure: string | null
}

/** What this device remembers of a sealed message until its place in the log is known: MLS does not open own messages. */
export interface OwnRow {
  content: Content
  order: number
  envelope: string
}

export const outboxKeyOf = (chatRoomId: string, order: number): [string, number] => [chatRoomId, order]

const outboxWrite = (row: OutboxRow): Write => ({
  store: 'outbox',
  key: outboxKeyOf(row.chatRoomId, row.order),
  value: { json: row },
})

/** What a room still has to send, in order. */
export async function outboxOf({ vault }: Live, chatRoomId: string): Promise<OutboxRow[]> {
  return (await vault.all('outbox', chatRoomId)).map(({ value }) => value.json as OutboxRow)
}

/** The rooms that have something to send. */
export async function roomsWithOutbox({ vault }: Live): Promise<string[]> {
  return [...new Set((await vault.all('outbox')).map(({ value }) => (value.json as OutboxRow).chatRoomId))]
}

/** Keeps a message before anything else happens to it: a reload or a crash does not lose it. */
export function keepInOutbox(
  live: Live,
  row: Pick<OutboxRow, 'id' | 'chatRoomId' | 'content' | 'replyToId' | 'sentAt'>,
): Promise<OutboxRow> {
  return changing(live, row.chatRoomId, async () => {
    const last = (await outboxOf(live, row.chatRoomId)).at(-1)
    const kept: OutboxRow = { ...row, order: Math.max((last?.order ?? 0) + 1, Date.now() * 1000), envelope: null, failure: null }
    await live.vault.write([outboxWrite(kept)])
    return kept
  })
}

/** Changes one row: a failure to show, or none to try again; `unseal` drops sealed bytes that the room has outrun. */
export function changeOutbox(
  live: Live,
  input: { chatRoomId: string; id: string; failure: string | null; unseal: boolean },
): Promise<void> {
  return changing(live, input.chatRoomId, async () => {
    const row = (await outboxOf(live, input.chatRoomId)).find(({ id }) => id === input.id)
    if (!row) return
    const writes: Write[] = [outboxWrite({ ...row, failure: input.failure, envelope: input.unseal ? null : row.envelope })]
    if (input.unseal) writes.push({ store: 'own', key: row.id, value: null })
    await live.vault.write(writes)
  })
}

/** Takes a message out for good: the person deletes it, or it goes back to the composer. */
export function dropFromOutbox(live: Live, input: { chatRoomId: string; id: string }): Promise<void> {
  return changing(live, input.chatRoomId, async () => {
    const row = (await outboxOf(live, input.chatRoomId)).find(({ id }) => id === input.id)
    if (!row) return
    await live.vault.write([
      { store: 'outbox', key: outboxKeyOf(row.chatRoomId, row.order), value: null },
      { store: 'own', key: row.id, value: null },
    ])
  })
}

/**
 * The sealed bytes of an outbox row: those it has, or new ones under the room's current state. New state, bytes
 * and the memory of the text are stored in one transaction before the bytes are handed out [Note: M1].
 */
export function sealOutboxRow(
  live: Live,
  input: { chatRoomId: string; peerId: string; id: string },
): Promise<OutboxRow | undefined> {
  const { chatRoomId, peerId, id } = input
  return withRoom(live, chatRoomId, peerId, async ({ record, group }) => {
    const row = (await outboxOf(live, chatRoomId)).find((one) => one.id === id)
    if (!row || row.envelope) return row
    if (!record || !group) throw new CryptoFailure('outside', 'This device is not in the room yet')
    const { self, peer } = await pairOf(live, peerId)
    const sealed = await sealMessage(group, leafDevice(live), {
      id,
      chatRoomId,
      sentAt: row.sentAt,
      content: row.content,
      replyToId: row.replyToId,
      manifests: { [live.userId]: self.version, [peerId]: peer.version },
      seen: { seq: record.cursor, hash: record.runningHash },
    })
    const kept: OutboxRow = { ...row, envelope: sealed.content }
    const own: OwnRow = { content: row.content, order: row.order, envelope: sealed.content }
    await live.vault.write([
      ...roomWrites(chatRoomId, { ...record, ownMessages: record.ownMessages + 1 }, sealed.group),
      outboxWrite(kept),
      { store: 'own', key: id, value: { json: own } },
    ])
    return kept
  })
}

/** What this device remembers of a message that it sealed. */
export async function ownRow({ vault }: Live, id: string): Promise<OwnRow | undefined> {
  return (await vault.get('own', id))?.json as OwnRow | undefined
}

/** The words that stand in a room's composer. */
export async function readDraft({ vault }: Live, chatRoomId: string): Promise<string> {
  return ((await vault.get('sealed', `draft:${chatRoomId}`))?.json as string | undefined) ?? ''
}

export const keepDraft = ({ vault }: Live, input: { chatRoomId: string; text: string }): Promise<void> =>
  vault.write([{ store: 'sealed', key: `draft:${input.chatRoomId}`, value: input.text ? { json: input.text } : null }])

const changing = <T>(live: Live, chatRoomId: string, work: () => Promise<T>) =>
  exclusive(`conclave/${live.userId}/${chatRoomId}/outbox`, work)
