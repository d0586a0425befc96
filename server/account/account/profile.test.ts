import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ hasLimits: true })

test('a new display name reaches everybody who lists the person, and the own open pages, at once, and nobody else', async () => {
  const { alice, bob, carol, eve } = await world.people()
  await alice.talksTo(bob)
  await alice.adds(carol)
  const lines = await Promise.all([alice, bob, carol, eve].map((person) => person.opensSocket()))
  const [hers, his, asked, other] = lines
  const user = await alice.does(accountApi.updateProfile, { displayName: '  Alice\u202e Liddell ' })
  expect(user).toMatchObject({ id: alice.id, displayName: 'Alice Liddell', email: null, deviceId: alice.deviceId })
  expect((await hers?.hears('account'))?.data).toEqual({ what: 'name' })
  for (const line of [his, asked]) expect((await line?.hears('contacts'))?.data).toEqual({ userIds: [alice.id] })
  expect((await bob.contacts())[0]?.contactUser.displayName).toBe('Alice Liddell')
  const { rooms } = await carol.does(roomsApi.list, {})
  expect(rooms[0]?.people[0]?.displayName).toBe('Alice Liddell')
  expect((await alice.does(accountApi.user, {})).displayName).toBe('Alice Liddell')
  // Only the own pages are told of an email.
  await alice.does(accountApi.updateProfile, { displayName: 'Alice Liddell', email: 'alice@example.org' })
  for (const line of lines) {
    line.says({ type: 'ping', data: {} })
    await line.hears('pong')
    line.hangsUp()
  }
  expect(other?.frames.map(({ type }) => type)).toEqual(['hello', 'pong'])
  expect(his?.frames.filter(({ type }) => type === 'contacts')).toHaveLength(1)
})

test('an email stays while none is sent, and an empty one clears it; nobody else is shown it', async () => {
  const [dora, frank] = [await world.person('dora'), await world.person('frank')]
  await dora.talksTo(frank)
  const saves = async (profile: { displayName: string; email?: string }) =>
    (await dora.does(accountApi.updateProfile, profile)).email
  expect(await saves({ displayName: 'Dora', email: ' dora@example.org ' })).toBe('dora@example.org')
  expect(await saves({ displayName: 'Dora M.' })).toBe('dora@example.org')
  const seen = [await frank.does(contactsApi.list, {}), await frank.does(roomsApi.list, {})]
  expect(JSON.stringify(seen)).toContain('Dora M.')
  expect(JSON.stringify(seen)).not.toContain('dora@example.org')
  expect(await saves({ displayName: 'Dora M.', email: '' })).toBeNull()
})

test('a profile that does not fit is refused in the words of the screen, and nothing changes', async () => {
  const gina = await world.person('gina')
  const cases = [
    [{}, 'Display name is required'],
    [{ displayName: '' }, 'Display name is required'],
    [{ displayName: '\u200b \u202e' }, 'Display name is required'],
    [{ displayName: 'x'.repeat(51) }, 'Display name must be at most 50 characters'],
    [{ displayName: 'Gina', email: 'gina' }, 'Invalid email address'],
    [{ displayName: 'Gina', email: 'gina@localhost' }, 'Invalid email address'],
    [{ displayName: 'Gina', email: 'gina@example.org, eve@example.org' }, 'Invalid email address'],
    [{ displayName: 'Gina', email: `${'x'.repeat(250)}@example.org` }, 'Invalid email address'],
    [{ displayName: 'Gina', email: null }, 'Invalid email address'],
  ] as const
  for (const [profile, text] of cases)
    expect(await gina.tries(accountApi.updateProfile, profile)).toMatchObject({ status: 400, body: { error: text } })
  expect(await gina.does(accountApi.user, {})).toMatchObject({ displayName: 'gina', email: null })
})

test('Eve renames herself only, whatever else she sends, and not as often as she likes', async () => {
  const [heidi, eve] = [await world.person('heidi'), await world.person('eve_h')]
  const sent = {
    displayName: 'Heidi',
    id: heidi.id,
    userId: heidi.id,
    username: 'heidi',
    isAdmin: true,
    subscriptionTier: 'master',
  }
  const before = await eve.does(accountApi.user, {})
  expect(await eve.does(accountApi.updateProfile, sent)).toEqual({ ...before, displayName: 'Heidi' })
  expect(await heidi.does(accountApi.user, {})).toMatchObject({ username: 'heidi', displayName: 'heidi' })
  for (let call = 1; call < RATES.profile.points; call++)
    await eve.does(accountApi.updateProfile, { displayName: `Heidi ${call}` })
  expect(await eve.tries(accountApi.updateProfile, { displayName: 'Alice' })).toBeRefused(429, 'too_many_requests')
  await world.sql('update users set deleted_at = now(), is_active = false where id = $1', [heidi.id])
  expect(await heidi.tries(accountApi.updateProfile, { displayName: 'Still here' })).toBeRefused(401, 'not_signed_in')
})
