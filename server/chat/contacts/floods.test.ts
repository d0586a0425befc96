import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ hasLimits: true })

const asking = async (asked: { id: string }) =>
  (await world.sql("select 1 from contacts where user_id = $1 and state = 'pending'", [asked.id])).length

test('Eve tries name after name to learn who is here: she has thirty answers in ten minutes, and then none, also not about Alice', async () => {
  const [alice, eve] = await Promise.all([world.person('alice'), world.person('eve')])
  const ofNobody = await eve.tries(contactsApi.add, { username: 'nobody_at_all' })
  expect(ofNobody).toBeRefused(404, 'user_not_found')
  // An account that was closed is answered like one that never was.
  const bob = await world.person('bob')
  await world.sql('update users set is_active = false where id = $1', [bob.id])
  expect((await eve.tries(contactsApi.add, { username: bob.username })).body).toEqual(ofNobody.body)
  for (let count = 2; count < RATES.addContact.points; count++)
    await eve.tries(contactsApi.add, { username: `guess_${randomUUID().slice(0, 8)}` })
  for (const username of ['nobody_at_all', alice.username])
    expect(await eve.tries(contactsApi.add, { username })).toBeRefused(429, 'too_many_requests')
  expect(await asking(alice)).toBe(0)
})

test('Eve asks, takes it back and asks again: Alice has one request of hers at most, and a blocked Eve has none', async () => {
  const [alice, eve] = await Promise.all([world.person('alice'), world.person('eve')])
  const askOnce = async () => {
    await eve.adds(alice)
    await eve.does(contactsApi.remove, { contactId: (await eve.contacts())[0]?.id ?? '' })
  }
  for (let count = 0; count < 5; count++) await askOnce()
  expect(await asking(alice)).toBe(1)
  await alice.does(contactsApi.block, { contactId: (await alice.contacts())[0]?.id ?? '' })
  for (let count = 0; count < 5; count++) await askOnce()
  expect(await alice.contacts()).toEqual([])
  expect(await world.sql('select state, is_blocked from contacts where user_id = $1', [alice.id])).toEqual([
    { state: 'declined', is_blocked: true },
  ])
})

test('whoever blocks and unblocks all day is stopped before their row of the room grows without end', async () => {
  const [alice, eve] = await Promise.all([world.person('alice'), world.person('eve')])
  const chatRoomId = await alice.talksTo(eve)
  const contactId = (await alice.contacts())[0]?.id ?? ''
  for (let count = 0; count < RATES.blocks.points; count++)
    await alice.does(count % 2 === 0 ? contactsApi.block : contactsApi.unblock, { contactId })
  expect(await alice.tries(contactsApi.block, { contactId })).toBeRefused(429, 'too_many_requests')
  const [row] = await world.sql('select withheld::text from chat_participants where chat_room_id = $1 and user_id = $2', [
    chatRoomId,
    alice.id,
  ])
  // Nothing came in between, so nothing is left of it.
  expect(row).toEqual({ withheld: '{}' })
})
