import { longLibrary } from '../client/testing/library.ts'
import type { Ground } from './ground.ts'
import { median } from './numbers.ts'
import { type Row, row } from './row.ts'

const PAGE = 50

/** Measures a page of a chat with a reaction to each message against one without, in turn. IndexedDB is in memory. */
export async function measureActs({ isQuick }: Ground): Promise<Row[]> {
  const messages = isQuick ? 1000 : 10_000
  const rounds = isQuick ? 20 : 200
  const library = await longLibrary({ rooms: 2, messages: 2 * messages, hasReactions: true }, (index) => `number ${index}`)
  const [reacted = '', plain = ''] = library.chatRoomIds
  const core = await library.open()
  const opening = async (chatRoomId: string, range: object) => {
    const askedAt = performance.now()
    const page = await core.page({ chatRoomId, limit: PAGE, ...range })
    if (page.messages.length !== PAGE) throw new Error(`The page has ${page.messages.length} messages`)
    return performance.now() - askedAt
  }
  const ratioOf = async (range: object): Promise<{ ratio: number; ms: number }> => {
    const times: Record<'reacted' | 'plain', number[]> = { reacted: [], plain: [] }
    for (let round = -10; round < rounds; round++) {
      const [one, other] = [await opening(reacted, range), await opening(plain, range)]
      if (round < 0) continue
      times.reacted.push(one)
      times.plain.push(other)
    }
    return { ratio: median(times.reacted) / median(times.plain), ms: median(times.reacted) }
  }
  const newest = await ratioOf({})
  const older = await ratioOf({ before: messages / 2 })
  await core.close()
  const name = `a page of ${messages.toLocaleString('en')} messages with as many reactions, against one without`
  return [
    row('acts', `${name}: the newest`, newest.ratio, 'x', { atMost: 1.2, note: `${newest.ms.toFixed(2)} ms` }),
    row('acts', `${name}: in the middle`, older.ratio, 'x', { atMost: 1.2, note: `${older.ms.toFixed(2)} ms` }),
  ]
}
