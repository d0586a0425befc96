import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { messagesApi, NOTES_LIMITS } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import { creation, following } from '../../testing/group.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

async function writer(plan: 'free' | 'test' | 'premium' = 'free'): Promise<{ ann: Person; chatRoomId: string }> {
  const ann = await world.person('ann')
  await world.sql('update users set subscription_tier = $2 where id = $1', [ann.id, plan])
  return { ann, ...(await ann.does(roomsApi.openNotes, {})) }
}

const rowOf = async (ann: Person, chatRoomId: string) =>
  (await ann.does(roomsApi.list, {})).rooms.find((room) => room.chatRoomId === chatRoomId)

test('one room with oneself, whoever asks how often, and it is in the list with nobody else', async () => {
  const { ann, chatRoomId } = await writer()
  const { counter } = await ann.does(roomsApi.list, {})
  expect(chatRoomId).toBe(notesRoomId(ann.id))
  const asked = await Promise.all([1, 2, 3].map(() => ann.does(roomsApi.openNotes, {})))
  expect(asked).toEqual([{ chatRoomId }, { chatRoomId }, { chatRoomId }])
  expect(await rowOf(ann, chatRoomId)).toMatchObject({ people: [], direct: null, unreadCount: 0, lastMessage: null })
  const { id } = await ann.says(chatRoomId, 'a thought')
  const { rooms } = await ann.does(roomsApi.list, { since: counter ?? '' })
  expect(rooms).toMatchObject([{ chatRoomId, unreadCount: 0, lastMessage: { id, seq: 1 } }])
  expect(await ann.contacts()).toEqual([])
  // The list is made anew, as after an update.
  await world.sql('delete from inboxes where user_id = $1', [ann.id])
  expect(await rowOf(ann, chatRoomId)).toMatchObject({ lastMessage: { id } })
})

test('an account without keys has none, and of two that look alike each reads its own', async () => {
  const [{ ann, chatRoomId }, eve] = [await writer(), await world.person('eve')]
  expect(await (await ann.elsewhere()).tries(roomsApi.openNotes, {})).toBeRefused(403, 'device_required')
  await ann.says(chatRoomId, 'mine')
  for (const call of [
    eve.posts(chatRoomId, 'hers'),
    eve.tries(messagesApi.list, { chatRoomId }),
    eve.tries(roomsApi.log, { chatRoomId }),
    eve.tries(roomsApi.commit, creation(chatRoomId)),
    eve.tries(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 }),
    eve.tries(roomsApi.group, { chatRoomId }),
  ])
    expect(await call).toBeRefused(404, 'not_found')
  expect((await eve.does(roomsApi.list, { ids: chatRoomId })).removed).toEqual([chatRoomId])
  expect(await ann.does(messagesApi.list, { chatRoomId })).toHaveLength(1)
})

test('without a plan texts count as received, a hundred a month; files and writing to others still need one', async () => {
  const { ann, chatRoomId } = await writer()
  const bob = await world.person('bob')
  const talk = await ann.talksTo(bob)
  expect(await ann.posts(talk, 'to bob')).toBeRefused(403, 'subscription_required')
  expect(await ann.posts(chatRoomId, 'file', { messageType: 'file' })).toBeRefused(400, 'file_not_found')
  await ann.says(chatRoomId, 'one')
  await ann.says(chatRoomId, 'silent', { isSilent: true })
  const received = () => world.sql('select received_count from chat_participants where chat_room_id = $1', [chatRoomId])
  expect(await received()).toEqual([{ received_count: 1 }])
  await world.sql('update chat_participants set received_count = $2 where chat_room_id = $1', [
    chatRoomId,
    NOTES_LIMITS.aMonth - 1,
  ])
  await ann.says(chatRoomId, 'the last')
  const late = await ann.posts(chatRoomId, 'one more')
  expect(late).toBeRefused(403, 'message_limit_reached')
  expect(late.body).toMatchObject({ error: expect.stringContaining('the 100 messages') })
  // What is silent is no text, but of another's size it is.
  await ann.says(chatRoomId, 'mark', { isSilent: true })
  expect(await ann.posts(chatRoomId, 'x'.repeat(3000), { isSilent: true })).toBeRefused(403, 'message_limit_reached')
  world.passes(32 * 24 * 3600)
  await ann.returns()
  await ann.says(chatRoomId, 'next month')
  expect(await received()).toEqual([{ received_count: 1 }])
})

test('a plan that counts messages does not count these, and one without a limit has none here', async () => {
  const counted = async ({ ann, chatRoomId }: { ann: Person; chatRoomId: string }) => {
    await world.sql('update chat_participants set received_count = $2, received_month = $3 where chat_room_id = $1', [
      chatRoomId,
      NOTES_LIMITS.aMonth,
      new Date(Date.UTC(world.env.clock().getUTCFullYear(), world.env.clock().getUTCMonth(), 1)),
    ])
    const outcome = await ann.posts(chatRoomId, 'text')
    const [row] = await world.sql('select monthly_messages_count, monthly_silent_count from users where id = $1', [ann.id])
    expect(row).toEqual({ monthly_messages_count: 0, monthly_silent_count: 0 })
    return outcome
  }
  const test = await writer('test')
  for (let n = 0; n < 12; n++) await test.ann.says(test.chatRoomId, `note ${n}`)
  await test.ann.says(test.chatRoomId, 'mark', { isSilent: true })
  expect(await counted(test)).toBeRefused(403, 'message_limit_reached')
  const premium = await writer('premium')
  const outcome = await premium.ann.posts(premium.chatRoomId, 'text')
  expect(outcome).toMatchObject({ status: 200 })
})

test('the group is made alone, claims no key package, and a removed browser closes it until a commit', async () => {
  const { ann, chatRoomId } = await writer()
  const laptop = await ann.addsBrowser()
  const { packages } = await ann.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
  expect(packages).toEqual([])
  const first = { ...creation(chatRoomId), manifestVersions: { [ann.id]: 2 } }
  const { welcome: _, ...alone } = first
  const path = `/api/rooms/${chatRoomId}/commits`
  const { chatRoomId: __, ...body } = alone
  expect(await laptop.request('POST', path, { body })).toBeRefused(400, 'invalid_input')
  await ann.does(roomsApi.commit, alone)
  await laptop.does(roomsApi.commit, { ...following(first), manifestVersions: { [ann.id]: 2 } })
  expect((await ann.does(roomsApi.log, { chatRoomId })).entries).toHaveLength(2)
  expect(await ann.does(roomsApi.group, { chatRoomId })).toMatchObject({ epoch: 2, welcome: null })
})

test('it goes with the account', async () => {
  const { ann, chatRoomId } = await writer()
  await ann.says(chatRoomId, 'gone')
  await ann.does(accountApi.remove, { password: ann.authSecret, kdf: 1 })
  expect(await world.sql('select id from chat_rooms where id = $1', [chatRoomId])).toEqual([])
})
