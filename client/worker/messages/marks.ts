import { z } from 'zod'
import type { ChatDeletion, Mark, Star } from '../../../contract/chat/content.ts'
import { STAR, starName } from '../../../contract/chat/kinds/star.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import type { Live } from '../keys/live.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { outboxOf } from './outbox.ts'

/** `at`: the chat's last seq then. `seq`: the place in the notes. */
const toldShape = z.object({ on: z.boolean(), at: z.number(), seq: z.number() })
/** A newer build has other names. */
const marksShape = z.record(z.string(), z.record(z.string(), toldShape))
/** By room, what the account has marked. A star has the name of its message. */
export type Marks = z.infer<typeof marksShape>

const KEY = 'marks'
/** The others were touched longest ago. */
const ROOMS_MAX = 5000
/** With those taken away. */
const STARS_MAX = 2 * SAID.starsMax

export async function keptMarks(vault: Vault): Promise<Marks> {
  const row = await vault.get('sealed', KEY)
  return row ? jsonOf(marksShape, row) : {}
}

export const marksWrite = (marks: Marks): Write => ({ store: 'sealed', key: KEY, value: { json: marks } })

/** The later place wins, whatever comes first. */
export function withMark(marks: Marks, mark: Mark | Star | ChatDeletion, seq: number): Marks {
  const { room, on, at } = mark
  const is = mark.type === 'mark' ? mark.is : mark.type === 'star' ? starName(mark.target) : 'deleted'
  const { [room]: before, ...others } = marks
  if ((before?.[is]?.seq ?? 0) >= seq) return marks
  const rooms = Object.entries(others)
  const newestOf = (told: Marks[string]) => Math.max(...Object.values(told).map((one) => one.seq))
  if (rooms.length >= ROOMS_MAX) rooms.sort(([, one], [, other]) => newestOf(other) - newestOf(one)).length = ROOMS_MAX - 1
  const all = { ...Object.fromEntries(rooms), [room]: { ...before, [is]: { on, at, seq } } }
  return mark.type === 'star' ? withoutOldestStar(all) : all
}

function withoutOldestStar(marks: Marks): Marks {
  const stars = Object.entries(marks).flatMap(([room, told]) =>
    Object.entries(told).flatMap(([name, { seq }]) => (name.startsWith(STAR) ? [{ room, name, seq }] : [])),
  )
  if (stars.length <= STARS_MAX) return marks
  const { room, name } = stars.reduce((one, other) => (other.seq < one.seq ? other : one))
  const { [name]: _, ...told } = marks[room] ?? {}
  return { ...marks, [room]: told }
}

/** With what waits to be sent. */
export async function marksOf(live: Live): Promise<Marks> {
  const [marks, waiting] = await Promise.all([keptMarks(live.vault), outboxOf(live, notesRoomId(live.userId))])
  return waiting.reduce(
    (all, { content, order }) =>
      content?.type === 'mark' || content?.type === 'star' || content?.type === 'delete_chat'
        ? withMark(all, content, Number.MAX_SAFE_INTEGER / 2 + order)
        : all,
    marks,
  )
}
