import { expect, test } from 'vitest'
import { sha256 } from '../../../client/worker/primitives/seal.ts'
import { messagesApi, SILENT_LIMITS, TAKE_BACK_LIMITS } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

async function freshPair(): Promise<{ one: Person; two: Person; chatRoomId: string }> {
  const [one, two] = await Promise.all([world.person('one'), world.person('two')])
  return { one, two, chatRoomId: await one.talksTo(two) }
}

const hashOf = (content: string) => toBase64(sha256('conclave/log-entry/v1', utf8(content)))

const emptied = (chatRoomId: string) =>
  world.sql(
    `select m.seq::int, m.content = '' as "isEmpty", m.content_hash = log_entry_hash(m.content) as "isOfContent" from messages m
    join chat_rooms r on r.number = m.room where r.id = $1 order by seq`,
    [chatRoomId],
  )

test('what its author takes back keeps place and hash, for both sides, and a late retry does not fill it again', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const words = await one.says(chatRoomId, 'words')
  const after = await one.says(chatRoomId, 'after')
  await one.says(chatRoomId, 'taken back', { isSilent: true, takesBack: [words.seq] })
  expect(await emptied(chatRoomId)).toMatchObject([{ seq: 1, isEmpty: true }, { isEmpty: false }, { isEmpty: false }])
  for (const who of [one, two]) {
    const { entries } = await who.does(roomsApi.log, { chatRoomId })
    expect(entries).toMatchObject([
      { kind: 'withheld', id: words.id, seq: 1, senderId: one.id, contentHash: hashOf('words') },
      { kind: 'message', id: after.id },
      { kind: 'message', content: 'taken back' },
    ])
  }
  expect(await one.says(chatRoomId, 'words', { id: words.id })).toMatchObject({ seq: 1, content: '' })
  expect(await emptied(chatRoomId)).toMatchObject([{ isEmpty: true }, {}, {}])
})

test('Eve empties no message but her own, none of another chat, none older than 48 hours, and each once', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const other = await freshPair()
  const old = await one.says(chatRoomId, 'old')
  world.passes((TAKE_BACK_LIMITS.hours * 60 + TAKE_BACK_LIMITS.spareMinutes) * 60)
  const hers = await one.says(chatRoomId, 'hers')
  const theirs = await two.says(chatRoomId, 'theirs')
  await other.one.says(other.chatRoomId, 'elsewhere')
  const silent = { chatRoomId, content: 'x', messageType: 'text' as const, isSilent: true }
  const takesBack = [old.seq, theirs.seq, 99]
  expect(await one.tries(messagesApi.send, { ...silent, takesBack })).toMatchObject({ status: 200 })
  expect((await emptied(chatRoomId)).filter(({ isEmpty }) => isEmpty)).toEqual([])
  expect(await emptied(other.chatRoomId)).toMatchObject([{ isEmpty: false }])

  // Without a plan only what empties something is taken.
  await world.sql("update users set subscription_tier = 'free' where id = $1", [one.id])
  expect(await one.tries(messagesApi.send, { ...silent, takesBack })).toBeRefused(403, 'subscription_required')
  expect(await one.tries(messagesApi.send, { ...silent, takesBack: [hers.seq] })).toMatchObject({ status: 200 })
  expect(await one.tries(messagesApi.send, { ...silent, takesBack: [hers.seq] })).toBeRefused(403, 'subscription_required')
  for (const more of [{ isSilent: false }, { content: 'x'.repeat(SILENT_LIMITS.bytes + 1) }])
    expect(await one.tries(messagesApi.send, { ...silent, takesBack: [hers.seq], ...more })).toBeRefused(400, 'invalid_input')
})

test('a request that is open is taken back, without its being accepted', async () => {
  const [asking, asked] = [await world.person('asking'), await world.person('asked')]
  const { chatRoomId } = await asking.adds(asked)
  const { seq } = await asking.says(chatRoomId, 'please')
  await asking.says(chatRoomId, 'taken back', { isSilent: true, takesBack: [seq] })
  expect(await emptied(chatRoomId)).toMatchObject([{ isEmpty: true }, {}])
  expect((await asked.contacts())[0]).toMatchObject({ state: 'pending' })
})
