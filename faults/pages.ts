import type { SeedUser } from '../bench/seed.ts'
import { type LogEntry, roomsApi } from '../contract/chat/rooms.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { ask } from './ask.ts'
import { entryOf } from './entries.ts'
import type { History } from './recorder.ts'

interface Asked {
  roomId: string
  after: number
  limit: number
  /** True after the run: both members must have read the same log. */
  isFinal?: boolean
}

/** Reads a page of a room's log and records it. Returns undefined if no answer came. */
export async function readLogPage(port: number, person: SeedUser, { isFinal = false, ...asked }: Asked, history: History) {
  const { roomId, after, limit } = asked
  const path = `/api/rooms/${roomId}/log?after=${after}&limit=${limit}`
  const answer = await ask(port, { method: 'GET', path, cookie: person.cookie })
  if (answer?.status !== 200) return undefined
  const { entries, lastSeq } = roomsApi.log.output.parse(answer.body)
  const isFull = [bytesOf(entries, 'message'), bytesOf(entries, 'commit')].some((bytes) => bytes >= LIMITS.logPageBytes)
  const page = { userId: person.id, ...asked, lastSeq, entries: entries.map(entryOf), isFull, isFinal }
  history.pages.push(page)
  return page
}

/** Sums the bytes by which the server bounds a page: the contents of its messages, or its commits. */
const bytesOf = (entries: LogEntry[], kind: LogEntry['kind']): number =>
  entries
    .filter((entry) => entry.kind === kind)
    .reduce(
      (sum, entry) =>
        sum + Buffer.byteLength(entry.kind === 'commit' ? entry.commit : entry.kind === 'message' ? entry.content : ''),
      0,
    )
