import type { SeedUser } from '../bench/seed.ts'
import { roomsApi } from '../contract/rooms.ts'
import { ask } from './ask.ts'
import { entryOf } from './entries.ts'
import type { History } from './recorder.ts'

interface Asked {
  roomId: string
  after: number
  limit: number
  /** Everything is over: both ends must hold the same. */
  isFinal?: boolean
}

/** A page of a room's log, kept in the history. undefined where it was not answered. */
export async function readLogPage(port: number, person: SeedUser, { isFinal = false, ...asked }: Asked, history: History) {
  const { roomId, after, limit } = asked
  const path = `/api/rooms/${roomId}/log?after=${after}&limit=${limit}`
  const answer = await ask(port, { method: 'GET', path, cookie: person.cookie })
  if (answer?.status !== 200) return undefined
  const { entries, lastSeq } = roomsApi.log.output.parse(answer.body)
  const page = { userId: person.id, ...asked, lastSeq, entries: entries.map(entryOf), isFinal }
  history.pages.push(page)
  return page
}
