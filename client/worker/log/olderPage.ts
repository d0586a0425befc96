import { parseEnvelope } from '../../../contract/chat/envelope.ts'
import type { LogEntry } from '../../../contract/chat/rooms.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { listsNamedBy, withLists } from '../group/forks.ts'
import { namesOf } from '../group/namedLists.ts'
import { type Place, withRoom } from '../group/roomState.ts'
import { withNamed } from '../group/signers.ts'
import type { Live } from '../keys/live.ts'
import { readBook } from '../lists/book.ts'
import { takeActs } from '../messages/acts.ts'
import { type Reading, readByArchive, readUnsealed } from '../messages/archive.ts'
import {
  type NamedVersions,
  type NewerVersions,
  newerVersions,
  noteNamedVersions,
  noVersions,
} from '../messages/namedVersions.ts'
import { onceEach } from '../messages/onceEach.ts'
import { dropDeleted, withActs } from '../messages/takenActs.ts'
import { AT_THE_BEGINNING, isOtherLog, withCommit, withHash, withMessage } from '../messages/transcript.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { StoredMessage } from '../vault/storedMessage.ts'
import { type NamedList, type RoomRecord, recordWrite, type Transcript } from '../vault/storedRoom.ts'
import type { MessageEntry, Route } from './catchUp.ts'
import { withUnopened } from './unopenedMessages.ts'
import { clearedIn, withheldMessage } from './withheldPlace.ts'

interface OlderPage extends Place {
  entries: LogEntry[]
  isStart: boolean
  clearedSeq: number
  route?: Route | null
}

/**
 * Stores an older page. Returns the newer versions named. Throws 'place' or 'log' unless the page adjoins the stored entries.
 */
export function adoptPage(live: Live, input: OlderPage): Promise<NewerVersions> {
  const { chatRoomId, peerIds, isStart, clearedSeq, route } = input
  return withRoom(live, chatRoomId, peerIds, async ({ record, accounts }) => {
    const named = noVersions()
    if (!record) return newerVersions(live, named)
    if (input.entries.some((entry) => entry.chatRoomId !== chatRoomId))
      throw new CryptoFailure('place', 'The server returned entries of another chat')
    // Another tab may have stored a part.
    const entries = input.entries.filter(({ seq }) => seq < record.from)
    const first = record.from - entries.length
    const isEmpty = input.entries.length === 0 && !isStart
    if (isEmpty || entries.some(({ seq }, index) => seq !== first + index))
      throw new CryptoFailure('log', 'The server’s record of this chat does not fit together')
    const known = entries.reduce(withCommitNames, { record, accounts }).record
    const at: Reading = { live, chatRoomId, accounts, record: known }
    const lists: NamedList[] = []
    const cleared = clearedSeq > 0 ? clearedIn((await readBook(live)).book, chatRoomId, clearedSeq) : 0
    const read = await onceEach(live, await readPage(at, entries, { named, lists }))
    const fresh = read.filter(({ seq }) => seq > cleared).map((message) => ({ ...message, ...(route && { route }) }))
    const noted = withLists(fresh.reduce(withUnopened, known), accounts, lists)
    const from = Math.max(isStart ? 1 : first, Math.min(record.from, cleared + 1))
    const taken = await takeActs(live, { ...known, chatRoomId }, fresh)
    const next = withActs({ ...noted, from, ...(cleared > 0 && { cleared }) }, taken)
    await live.vault.write([recordWrite(chatRoomId, next), ...taken.writes])
    await dropDeleted(live, chatRoomId, taken)
    return newerVersions(live, named)
  })
}

type Known = Pick<Reading, 'accounts'> & { record: RoomRecord }

/** [Note: H3] Commits name the removed browsers. */
const withCommitNames = ({ record, accounts }: Known, entry: LogEntry): Known => ({
  accounts,
  record: entry.kind === 'commit' ? withNamed(record, accounts, entry.seq, namesOf(entry)) : record,
})

/** Compares messages after the first commit with their senders' logs [Note: M5]. */
async function readPage(at: Reading, entries: LogEntry[], noted: Noted): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = []
  const hashes = new Map<number, string>()
  let seen: Transcript | undefined = entries[0]?.seq === 1 ? AT_THE_BEGINNING : undefined
  for (const entry of entries) {
    const before = seen
    if (entry.kind === 'commit') {
      seen = withCommit(before, entry.seq)
      continue
    }
    seen = entry.kind === 'withheld' ? withHash(before, fromBase64(entry.contentHash)) : withMessage(before, entry.content)
    if (seen) hashes.set(entry.seq, seen.hash)
    if (entry.kind === 'withheld') messages.push({ ...withheldMessage(entry, seen), isOlder: true })
    else messages.push(await readOlder(at, entry, { before, hash: seen?.hash, hashes, ...noted }))
  }
  return messages
}

interface Noted {
  named: NamedVersions
  lists: NamedList[]
}

interface Around extends Noted {
  before: Transcript | undefined
  /** The running hash after this message. */
  hash: string | undefined
  hashes: Map<number, string>
}

async function readOlder(
  at: Reading,
  entry: MessageEntry,
  { before, hash, hashes, named, lists }: Around,
): Promise<StoredMessage> {
  const { id, seq, createdAt } = entry
  const envelope = parseEnvelope(entry.content)
  const { senderId, body, proof, flags } = envelope ? await readByArchive(at, envelope, entry) : readUnsealed(entry)
  if (proof) noteNamedVersions(named, at, senderId, proof)
  if (proof) lists.push(...listsNamedBy(at.accounts, senderId, proof))
  const isOutOfPlace =
    proof !== undefined && (await isOtherLog(before, seq, proof.statement.seen, async (place) => hashes.get(place)))
  return {
    ...{ id, chatRoomId: at.chatRoomId, seq, at: createdAt, senderId, body, isOlder: true },
    ...flags,
    ...(hash !== undefined && { hash }),
    ...(isOutOfPlace && { isOutOfPlace }),
    ...(before && body.kind === 'sealed' && { transcript: before }),
  }
}
