import { type Act, type Content, readSaid } from '../../../contract/chat/content.ts'
import { isCounted } from '../../../contract/chat/kinds/kinds.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import { STEADY } from '../../../contract/ground/steady.ts'
import { openForks, statedHashes } from '../group/forks.ts'
import { unlistedIn, versionsOf } from '../group/members.ts'
import { type OpenRoom, type Place, storeRoom, withFreeRoom, withRoom } from '../group/roomState.ts'
import { type Live, leafDevice } from '../keys/live.ts'
import { readBook, seenVersion } from '../lists/book.ts'
import { mayBeSealedFor, type ShownPeer } from '../lists/peerStanding.ts'
import { FAR_MS } from '../messages/archive.ts'
import { inKeepingOrder } from '../messages/begunRows.ts'
import {
  keepInOutbox,
  keptOf,
  type NewMessage,
  newRow,
  newWrites,
  type OutboxRow,
  outboxOf,
  outboxWrite,
  ownWrite,
  shown,
  withOutbox,
  writtenWrites,
} from '../messages/outbox.ts'
import { filesOf, nextOrder } from '../messages/queue.ts'
import { refuseLate } from '../messages/refuseLate.ts'
import { sealMessage } from '../messages/sealedMessage.ts'
import { stated } from '../messages/transcript.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { messageAt, messagesOf, seqOfMessage } from '../vault/storedMessage.ts'
import type { RoomRecord } from '../vault/storedRoom.ts'
import { stateOf } from './prepareRoom.ts'

type JoinedRoom = { [K in keyof OpenRoom]: NonNullable<OpenRoom[K]> }

/** Seals an outbox row, or returns its bytes; stores before returning [Note: M1]. Leaves unknown kinds unchanged. */
export function sealOutboxRow(live: Live, input: Place & { id: string }): Promise<OutboxRow | undefined> {
  const { chatRoomId, peerIds, id } = input
  return withRoom(live, chatRoomId, peerIds, ({ record, group, accounts }) =>
    withOutbox(live, chatRoomId, async () => {
      const kept = await keptOf(live, chatRoomId, id)
      if (!kept) return undefined
      const { row, own } = kept
      const content = readSaid(row.content)
      // [Note: D2]
      if (openForks(record).length > 0) throw new CryptoFailure('not_ready', 'Two device lists have the same number')
      if (row.envelope || !content) return shown(row)
      await refuseLate(live.vault, chatRoomId, content)
      if (!record || !group) throw new CryptoFailure('outside', 'This device is not in this chat yet')
      // [Note: D3] Another tab may have changed the room.
      if (unlistedIn(group, accounts).length > 0)
        throw new CryptoFailure('not_ready', 'The devices of this chat changed. Try again')
      const sealed = await sealedIn(live, { record, group, accounts }, { ...row, content, ...timesOf(row.sentAt) })
      const { envelope, lifetime } = sealed
      const sealedRow = { ...row, envelope, lifetime }
      await storeRoom(live, chatRoomId, sealed, [
        outboxWrite(sealedRow),
        ownWrite(chatRoomId, id, { ...own, envelope, lifetime }),
      ])
      return shown(sealedRow)
    }),
  )
}

export interface ShownRoom extends Place {
  peers: ShownPeer[]
  lastSeq: number
  now: number
}

/**
 * Stores a new message, sealed if the room is ready and free, else with `envelope` null [Note: M1]. `isAlone`: sealed, and
 * nothing else waits. Throws 'not_ready' for an opening that cannot be sealed [Note: M14].
 */
export function keepAndSeal(
  live: Live,
  { message, room }: { message: NewMessage; room: ShownRoom | null },
): Promise<OutboxRow & { isAlone: boolean }> {
  // The next message must not overtake one that finds the room busy.
  return inKeepingOrder(live, message.chatRoomId, async () => {
    const sealed = room && (await sealedAtOnce(live, message, room))
    if (!sealed && isOpening(message)) throw new CryptoFailure('not_ready', 'This chat is busy')
    return sealed ?? { ...(await keepInOutbox(live, message)), isAlone: false }
  })
}

/** It waits for nothing, and ends no draft. */
const isOpening = ({ content }: NewMessage): boolean => content.type === 'opened'

async function sealedAtOnce(
  live: Live,
  message: NewMessage,
  shownRoom: ShownRoom,
): Promise<(OutboxRow & { isAlone: boolean }) | undefined> {
  const { chatRoomId } = message
  let isStoring = false
  try {
    return await withFreeRoom(live, shownRoom, (room) =>
      withOutbox(live, chatRoomId, async () => {
        const { record, group, accounts } = room
        const [rows, files] = await Promise.all([outboxOf(live, chatRoomId), filesOf(live, chatRoomId)])
        const waiting = rows.filter(({ failure }) => failure === null)
        const mustWait = files.some(({ isHolding }) => isHolding) || waiting.some(({ envelope }) => envelope === null)
        if (mustWait && !isOpening(message)) return undefined
        if (!record || !group || !(await isReady(live, room, shownRoom))) return undefined
        const sealed = await sealedIn(live, { record, group, accounts }, message)
        const row = newRow(message, await nextOrder(live, chatRoomId, 1), sealed.envelope, sealed.lifetime)
        isStoring = true
        await storeRoom(live, chatRoomId, sealed, isOpening(message) ? newWrites(row) : writtenWrites(row))
        return { ...row, isAlone: waiting.length === 0 }
      }),
    )
  } catch (error) {
    // The words are stored despite a failure.
    if (isStoring || !(error instanceof CryptoFailure)) throw error
    return undefined
  }
}

/** Returns true if sealing needs neither server nor person. */
async function isReady(live: Live, room: OpenRoom, { chatRoomId, peers, lastSeq, now }: ShownRoom): Promise<boolean> {
  const { need, cursor, isPending, isForked } = await stateOf(live, chatRoomId, room, now)
  if (need !== 'ready' || isPending || isForked || cursor < lastSeq) return false
  return mayBeSealedFor(live, peers)
}

/** What waited is signed with the time of sealing [Note: M4]. */
function timesOf(writtenAt: string): { sentAt: string; writtenAt?: string } {
  const now = Date.now()
  const isLate = now - Date.parse(writtenAt) >= FAR_MS
  return { sentAt: new Date(now).toISOString(), ...(isLate && { writtenAt }) }
}

/** The caller stores the result before sending. */
async function sealedIn(
  live: Live,
  { record, group, accounts }: JoinedRoom,
  { id, chatRoomId, sentAt, writtenAt, content, replyToId }: NewMessage & { writtenAt?: string },
) {
  const seen = record.transcript
  if (!seen) throw new CryptoFailure('not_ready', 'This device has not seen enough of this chat. Try again')
  const book = await readBook(live)
  const lifetime = await lifetimeOf(live, chatRoomId, record, content, book.book.newTimer?.seconds)
  const statement = {
    ...{ id, chatRoomId, sentAt, ...(writtenAt && { writtenAt }), content, replyToId, ...(lifetime && { lifetime }) },
    manifests: versionsOf(accounts),
    hashes: statedHashes(accounts),
    book: seenVersion(book),
    seen: stated(seen, record.cursor),
  }
  // The server takes no long silent message.
  const leastBytes = book.isSteady && isCounted(content) ? STEADY.textBytes : 0
  const sealed = await sealMessage(group, leafDevice(live), statement, leastBytes)
  return { record: { ...record, ownMessages: record.ownMessages + 1 }, group: sealed.group, envelope: sealed.content, lifetime }
}

/** An edit ends with its message [Note: M9]. */
async function lifetimeOf(
  { vault, userId }: Live,
  chatRoomId: string,
  { timer, from }: RoomRecord,
  said: Act | Content,
  ofNewChats = 0,
): Promise<number | null> {
  if (said.type === 'edit') {
    const seq = await seqOfMessage(vault, { chatRoomId, ...said.target })
    return (seq !== undefined && (await messageAt(vault, chatRoomId, seq))?.lifetime) || null
  }
  if (!isCounted(said)) return null
  if (timer || ofNewChats === 0 || from > 1 || chatRoomId === notesRoomId(userId)) return timer?.seconds || null
  return (await messagesOf(vault, chatRoomId, { limit: 1 })).length === 0 ? ofNewChats : null
}
