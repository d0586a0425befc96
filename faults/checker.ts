import { checkCounters } from './counters.ts'
import { type Accuse, emptyVerdict, type Stored, type StoredRoom, type Verdict } from './law.ts'
import type { Attempt, Entry, History } from './recorder.ts'

/**
 * Compares the history of the clients with the database. Each acknowledged entry is stored once, at its acknowledged seq. Each stored
 * entry was sent. A room's log has no gap, follows the order of time and is the same for every member. Counters match the rows.
 */
export function checkLaw(history: History, stored: Stored): Verdict {
  const verdict = emptyVerdict()
  const accuse: Accuse = (breach, words) => void verdict[breach].push(words)
  const attemptsOf = groupBy(history.attempts, keyOf)
  const rooms = new Map(stored.rooms.map((room) => [room.id, room]))
  const kept = groupBy(
    stored.rooms.flatMap((room) => room.entries),
    keyOf,
  )
  for (const [key, entries] of kept) {
    if (entries.length > 1) accuse('duplicated', `${key} is stored ${entries.length} times`)
    for (const entry of entries) checkOrigin(entry, attemptsOf.get(key) ?? [], accuse)
  }
  for (const [key, attempts] of attemptsOf) checkAcknowledged(key, attempts, kept.get(key)?.[0], accuse)
  checkSilences(history, accuse)
  for (const room of stored.rooms) {
    checkPlaces(room, accuse)
    checkTime(room, attemptsOf, accuse)
    checkEpochs(room, accuse)
  }
  checkSeen(history, rooms, accuse)
  checkEnds(history, stored.rooms, accuse)
  checkCounters(history, stored, accuse)
  return verdict
}

const keyOf = ({ kind, roomId, senderId, id }: Omit<Entry, 'seq' | 'digest' | 'epoch'>): string =>
  `${kind} ${id} of ${senderId} in ${roomId}`

function checkOrigin(entry: Entry, attempts: Attempt[], accuse: Accuse): void {
  const sent = attempts.filter((each) => each.digest === entry.digest)
  if (sent.length === 0) accuse('foreign', `${keyOf(entry)} is stored at ${entry.seq} and was never sent like that`)
  else if (sent.every((each) => each.outcome === 'refused')) accuse('foreign', `${keyOf(entry)} was refused and is stored`)
}

function checkAcknowledged(key: string, attempts: Attempt[], entry: Entry | undefined, accuse: Accuse): void {
  const acknowledged = attempts.filter((each) => each.outcome === 'acknowledged')
  if (!entry) {
    if (acknowledged.length > 0) accuse('lost', `${key} was acknowledged and is not stored`)
    return
  }
  for (const { seq, answered } of acknowledged) {
    if (seq !== entry.seq) accuse('false acks', `${key} was acknowledged at ${seq} and is stored at ${entry.seq}`)
    else if (answered !== entry.digest) accuse('false acks', `${key} was acknowledged with another text than is stored`)
  }
}

function checkSilences({ attempts, silences }: History, accuse: Accuse): void {
  for (const { from, to } of silences) {
    for (const each of attempts) {
      const isWithin = each.startedAt > from && each.endedAt < to
      if (isWithin && each.outcome === 'acknowledged') {
        accuse('false acks', `${keyOf(each)} was acknowledged while nothing could be kept`)
      }
    }
  }
}

function checkPlaces({ id, entries, lastSeq, lastMessageSeq }: StoredRoom, accuse: Accuse): void {
  let seq = 0
  for (const entry of entries) {
    if (entry.seq === seq) accuse('duplicated', `${id} has two entries at ${seq}`)
    else if (entry.seq !== seq + 1) accuse('gaps', `${id} goes from ${seq} to ${entry.seq}`)
    seq = entry.seq
  }
  if (lastSeq !== seq) accuse('gaps', `${id} says that it ends at ${lastSeq} and ends at ${seq}`)
  const newest = entries.findLast((entry) => entry.kind === 'message')?.seq ?? 0
  if (lastMessageSeq !== newest) accuse('gaps', `${id} says that its last message is ${lastMessageSeq}; it is ${newest}`)
}

/** An entry that was acknowledged before another one was started has the lower seq, also across senders. */
function checkTime(room: StoredRoom, attemptsOf: Map<string, Attempt[]>, accuse: Accuse): void {
  let latest = { startedAt: Number.NEGATIVE_INFINITY, seq: 0 }
  for (const entry of room.entries) {
    const attempts = attemptsOf.get(keyOf(entry)) ?? []
    const startedAt = least(attempts.map((each) => each.startedAt))
    const endedAt = least(attempts.filter((each) => each.outcome === 'acknowledged').map((each) => each.endedAt))
    if (endedAt < latest.startedAt) {
      accuse('reordered', `${room.id}: ${entry.seq} was acknowledged before ${latest.seq} was begun`)
    }
    if (attempts.length > 0 && startedAt > latest.startedAt) latest = { startedAt, seq: entry.seq }
  }
}

/** Each commit raises the epoch by one, and each entry carries the room's epoch at its place [Note: M2]. */
function checkEpochs(room: StoredRoom, accuse: Accuse): void {
  let epoch = room.firstEpoch
  for (const entry of room.entries) {
    if (entry.epoch !== null && entry.epoch !== epoch) {
      accuse('stale', `${room.id}: the ${entry.kind} at ${entry.seq} is of epoch ${entry.epoch}, the room was at ${epoch}`)
    }
    if (entry.kind === 'commit') epoch += 1
  }
  if (room.epoch !== epoch) accuse('stale', `${room.id} says epoch ${room.epoch}; its commits lead to ${epoch}`)
}

/** Each entry in a frame or page is stored at that seq and went to a member. A connection delivers each entry once at most. */
function checkSeen({ frames, pages }: History, rooms: Map<string, StoredRoom>, accuse: Accuse): void {
  const shown = new Set<string>()
  for (const { userId, connection, entry } of frames) {
    const key = `${connection} ${entry.roomId} ${entry.seq}`
    if (shown.has(key)) accuse('duplicated', `${keyOf(entry)} came twice out of one socket`)
    shown.add(key)
    compare(userId, entry, rooms, accuse)
  }
  for (const { userId, roomId, after, limit, lastSeq, entries, isFull } of pages) {
    entries.forEach((entry, at) => {
      if (entry.seq !== after + at + 1) accuse('gaps', `${roomId}: a page after ${after} has ${entry.seq} at place ${at + 1}`)
      compare(userId, entry, rooms, accuse)
    })
    const most = Math.max(0, Math.min(limit, lastSeq - after))
    if (entries.length > most || (entries.length < most && !isFull)) {
      accuse('gaps', `${roomId}: a page after ${after} has ${entries.length} entries; the log ended at ${lastSeq}`)
    }
  }
}

function compare(userId: string, entry: Entry, rooms: Map<string, StoredRoom>, accuse: Accuse): void {
  const room = rooms.get(entry.roomId)
  if (!room?.members.some((member) => member.userId === userId)) accuse('foreign', `${keyOf(entry)} was shown to ${userId}`)
  const stored = room?.entries[entry.seq - 1]
  if (!stored) accuse('lost', `${keyOf(entry)} was shown at ${entry.seq} and is not there any more`)
  else if (keyOf(stored) !== keyOf(entry) || stored.digest !== entry.digest) {
    accuse('differing', `${entry.roomId}: ${userId} was shown something else at ${entry.seq} than is stored`)
  }
}

/** Every member has read the whole log in the final pages. `checkSeen` has compared their entries. */
function checkEnds({ pages }: History, rooms: StoredRoom[], accuse: Accuse): void {
  const read = new Map<string, number>()
  for (const { isFinal, userId, roomId, entries } of pages) {
    const key = `${userId} ${roomId}`
    if (isFinal) read.set(key, (read.get(key) ?? 0) + entries.length)
  }
  for (const { id, members, entries } of rooms) {
    for (const { userId } of members) {
      const count = read.get(`${userId} ${id}`) ?? 0
      if (count !== entries.length) accuse('differing', `${id}: ${userId} reads ${count} entries, ${entries.length} are stored`)
    }
  }
}

const least = (numbers: number[]): number => numbers.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)

function groupBy<T>(all: T[], keyFor: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const each of all) {
    const group = groups.get(keyFor(each))
    if (group) group.push(each)
    else groups.set(keyFor(each), [each])
  }
  return groups
}
