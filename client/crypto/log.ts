import { decodeFields, fromBase64, fromUtf8, toBase64, utf8 } from '../../contract/bytes.ts'
import { parseEnvelope } from '../../contract/envelope.ts'
import type { CommitEntry, LogEntry } from '../../contract/rooms.ts'
import type { Signed } from '../../contract/shapes.ts'
import { type EpochName, missingEpochs, type Pair, readByArchive, readOpened, unreadable } from './archive.ts'
import { noteGeneration } from './book.ts'
import { CryptoFailure } from './failure.ts'
import { readManifest } from './identity.ts'
import type { Live } from './live.ts'
import { openByGroup } from './message.ts'
import { applyCommit, epochOf, type Group, groupIdOf, inspectCommit, readGroup } from './mls.ts'
import { type OwnRow, outboxKeyOf, ownRow } from './outbox.ts'
import { listedIn, meetPeer, pairOf } from './peers.ts'
import { pendingCommit, pendingKey } from './pending.ts'
import { messageWrite, type RoomRecord, roomWrites, type StoredMessage, withRoom } from './room.ts'
import { sha256 } from './seal.ts'
import type { Write } from './vault.ts'

export interface LogOutcome {
  cursor: number
  /** The log restarts with a new group: ask for it and enter, then go on. */
  mustEnter: boolean
  /** Entries are missing between the cursor and what was given. */
  hasGap: boolean
  /** Accounts whose newest manifest is not known here yet. */
  newerManifests: string[]
  missing: EpochName[]
  /** A foreign commit was taken: its archive key and GroupInfo are worth a look. */
  foreignCommit: EpochName | null
}

interface Passing {
  live: Live
  pair: Pair
  record: RoomRecord
  group: Group | undefined
  writes: Write[]
  newerManifests: Set<string>
  sealed: { content: string }[]
  foreignCommit: EpochName | null
}

/**
 * Takes the next entries of a room's log, in order. State, text and cursor are stored in one transaction, then
 * the caller shows what the vault holds [Note: commit, then show]. Entries at or below the cursor are passed over.
 */
export function receiveLog(live: Live, input: { chatRoomId: string; peerId: string; entries: LogEntry[] }): Promise<LogOutcome> {
  const { chatRoomId, peerId, entries } = input
  return withRoom(live, chatRoomId, peerId, async ({ record, group }) => {
    if (!record) return { cursor: 0, mustEnter: true, hasGap: false, newerManifests: [], missing: [], foreignCommit: null }
    const pair = { peerId, ...(await pairOf(live, peerId)) }
    const at: Passing = {
      live,
      pair,
      record: { ...record },
      group,
      writes: [],
      newerManifests: new Set(),
      sealed: [],
      foreignCommit: null,
    }
    let mustEnter = false
    let hasGap = false
    for (const entry of entries) {
      if (entry.seq <= at.record.cursor) continue
      hasGap = entry.seq !== at.record.cursor + 1
      mustEnter = entry.kind === 'commit' && entry.generation > at.record.generation && !(await isOwnPending(at, entry))
      if (hasGap || mustEnter) break
      if (entry.kind === 'commit') await passCommit(at, entry)
      else at.writes.push(...(await passMessage(at, entry)))
      at.record.cursor = entry.seq
    }
    if (at.record.cursor > record.cursor) {
      await live.vault.write([...at.writes, ...roomWrites(chatRoomId, at.record, at.group)])
      await noteGeneration(live, chatRoomId, at.record.generation)
    }
    const { newerManifests, foreignCommit } = at
    const missing = await missingEpochs(live, at.sealed)
    return { cursor: at.record.cursor, mustEnter, hasGap, newerManifests: [...newerManifests], missing, foreignCommit }
  })
}

type MessageEntry = Extract<LogEntry, { kind: 'message' }>

async function passMessage(at: Passing, entry: MessageEntry): Promise<Write[]> {
  const { live, record } = at
  record.runningHash = toBase64(
    sha256('conclave/log/v1', fromBase64(record.runningHash), sha256('conclave/log-entry/v1', utf8(entry.content))),
  )
  const own = entry.senderId === live.userId ? await ownRow(live, entry.id) : undefined
  if (own && own.envelope === entry.content) return [messageWrite(ownMessage(entry, own)), ...settled(own, entry)]
  return [messageWrite({ ...placeOf(entry), ...(await readEntry(at, entry)) })]
}

async function readEntry(at: Passing, entry: MessageEntry): Promise<Pick<StoredMessage, 'senderId' | 'body'>> {
  const { live, record, group, pair } = at
  const envelope = parseEnvelope(entry.content)
  if (!envelope) return { senderId: entry.senderId, body: { kind: 'plain', text: entry.content } }
  if (group && envelope.groupId === record.groupId) {
    // [Note: M2] The server refuses these; a message of an old epoch here means that it did not.
    if (envelope.epoch !== epochOf(group))
      return unreadable(entry, new CryptoFailure('epoch', 'It was sealed for an earlier state of this room'))
    try {
      const { group: next, opened } = await openByGroup(group, envelope)
      at.group = next
      for (const [userId, version] of Object.entries(opened.statement.manifests)) {
        if (version > versionOf(pair, userId, live)) at.newerManifests.add(userId)
      }
      return readOpened(live, opened, entry, pair)
    } catch (error) {
      if (!(error instanceof CryptoFailure)) throw error
      // [Note: V2] A message of this very device that its vault does not know: the profile was rolled back.
      if (error.code === 'own_message') leave(record)
    }
  }
  const read = await readByArchive(live, envelope, entry, pair)
  if (read.body.kind === 'sealed') at.sealed.push(entry)
  return read
}

async function passCommit(at: Passing, entry: CommitEntry): Promise<void> {
  const { live, record, pair } = at
  const pending = await pendingCommit(live, entry.chatRoomId)
  if (pending?.draft.commit === entry.commit) {
    const next = readGroup(pending.group, [pair.self.identityKey, pair.peer.identityKey])
    at.group = next
    moveTo(record, entry, next, pending.hasPath)
    record.generation = entry.generation
    at.writes.push({ store: 'sealed', key: pendingKey(entry.chatRoomId), value: null })
    return
  }
  if (!at.group || entry.groupId !== record.groupId) return
  try {
    await meetCarried(live, pair, inspectCommit(fromBase64(entry.commit)).authData)
    at.pair = { peerId: pair.peerId, ...(await pairOf(live, pair.peerId)) }
    const applied = await applyCommit({
      group: at.group,
      commit: fromBase64(entry.commit),
      accounts: [pair.self.identityKey, pair.peer.identityKey],
      rules: { isListed: listedIn(at.pair.self, at.pair.peer) },
    })
    if (pending) at.writes.push({ store: 'sealed', key: pendingKey(entry.chatRoomId), value: null })
    if (applied.removedSelf) return leave(record)
    at.group = applied.group
    moveTo(record, entry, applied.group, applied.isExternal || applied.added.length === 0)
    at.foreignCommit = { groupId: entry.groupId, epoch: entry.epoch + 1 }
  } catch (error) {
    // [Note: R4] Accepted by the server, but not to be processed here: read on by the archive, enter again before sending.
    if (!(error instanceof CryptoFailure)) throw error
    leave(record)
    at.group = undefined
  }
}

/** A commit that changes leaves carries the signed manifests it rests on [Note: D2]. */
async function meetCarried(live: Live, pair: Pair, authData: Uint8Array): Promise<void> {
  for (const [userId, content, signature] of carriedManifests(authData)) {
    if (!userId || !content || !signature) throw new CryptoFailure('commit', 'The commit carries no manifest')
    const peer = userId === live.userId ? pair.self : userId === pair.peerId ? pair.peer : undefined
    if (!peer) throw new CryptoFailure('commit', 'The commit carries the manifest of a stranger')
    const manifest: Signed = { content, signature }
    if (readManifest(manifest, peer.identityKey).version > peer.version)
      await meetPeer(live, { userId, identityKey: toBase64(peer.identityKey), manifest })
  }
}

/** A committer may put anything there: what cannot be taken apart is a failure, not a bug. */
function carriedManifests(authData: Uint8Array): string[][] {
  try {
    return decodeFields(authData).map((bytes) => decodeFields(bytes).map(fromUtf8))
  } catch (error) {
    throw new CryptoFailure('commit', 'The commit carries damaged manifests', { cause: error })
  }
}

function moveTo(record: RoomRecord, entry: CommitEntry, group: Group, hasPath: boolean): void {
  record.standing = 'joined'
  record.groupId = toBase64(groupIdOf(group))
  record.runningHash = ''
  record.lastCommitAt = entry.createdAt
  record.ownMessages = 0
  record.isHealed = hasPath
}

function leave(record: RoomRecord): void {
  record.standing = 'outside'
}

async function isOwnPending(at: Passing, entry: CommitEntry): Promise<boolean> {
  return (await pendingCommit(at.live, entry.chatRoomId))?.draft.commit === entry.commit
}

const versionOf = (pair: Pair, userId: string, live: Live): number =>
  userId === live.userId ? pair.self.version : userId === pair.peerId ? pair.peer.version : Number.POSITIVE_INFINITY

const placeOf = ({ id, chatRoomId, seq, createdAt }: MessageEntry) => ({ id, chatRoomId, seq, at: createdAt })

const ownMessage = (entry: MessageEntry, own: OwnRow): StoredMessage => ({
  ...placeOf(entry),
  senderId: entry.senderId,
  body: { kind: 'content', content: own.content },
})

const settled = (own: OwnRow, entry: MessageEntry): Write[] => [
  { store: 'own', key: entry.id, value: null },
  { store: 'outbox', key: outboxKeyOf(entry.chatRoomId, own.order), value: null },
]
