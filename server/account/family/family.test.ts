import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { FAMILY, familyApi } from '../../../contract/account/family.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { REFUSALS } from '../../../contract/ground/refusals.ts'
import { setTier } from '../../money/ledger/ledger.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const DAY = 24 * 60 * 60
const master = () => world.person('mia', 'master')
const person = (name: string) => world.person(name, 'free')
const invites = async (mia: Person, inviteeUsername = 'somebody') =>
  (await mia.does(familyApi.invite, { inviteeEmail: 'some@body.example', inviteeUsername })).invitationToken ?? ''
const accepts = (who: Person, token: string) => who.tries(familyApi.accept, { token })
const tierOf = async (who: Person) => (await who.does(accountApi.user, {})).subscriptionTier
const membersOf = (mia: Person) => world.sql('select from users where master_account_id = $1', [mia.id])
const downgrades = (mia: Person, tier: string) =>
  world.env.db.transaction((tx) => setTier(tx, world.env.clock(), { username: mia.username, tier, endDate: undefined }))

test('who accepts has Premium’s rights at once, while the plan of the circle lasts and not a moment longer', async () => {
  const [mia, bob, carol] = [await master(), await person('bob'), await world.person('carol')]
  const room = await bob.talksTo(carol)
  const line = await bob.opensSocket()
  const token = await invites(mia, bob.username)
  expect(await world.stranger().does(familyApi.show, { token })).toEqual({
    ...{ inviterName: mia.username, inviteeUsername: bob.username },
  })
  expect(await bob.posts(room, 'too early')).toBeRefused(403, 'subscription_required')
  expect((await accepts(bob, token)).status).toBe(200)
  await line.hears('account', ({ data }) => data.what === 'plan')
  expect(await tierOf(bob)).toBe('premium')
  await bob.says(room, 'as a member')
  expect(await mia.does(familyApi.members, {})).toMatchObject([{ id: bob.id, username: bob.username, isOnline: false }])
  expect(await mia.does(familyApi.invitations, {})).toMatchObject([
    { status: 'accepted', invitationToken: null, inviteeUsername: bob.username, acceptedAt: expect.any(String) },
  ])
  expect(await bob.does(familyApi.own, {})).toMatchObject({ membership: { username: mia.username, isPaid: true } })

  // The plan of the circle ends: his open page learns it, sending stops, reading stays.
  const before = line.frames.length
  await downgrades(mia, 'premium')
  await expect.poll(() => line.frames.slice(before).some(({ type }) => type === 'account')).toBe(true)
  expect(await tierOf(bob)).toBe('free')
  expect(await bob.posts(room, 'no more')).toBeRefused(403, 'subscription_required')
  expect(await mia.tries(familyApi.members, {})).toBeRefused(403, 'master_required')
  expect(await bob.does(familyApi.own, {})).toMatchObject({ membership: { isPaid: false } })
  await downgrades(mia, 'master')
  await bob.says(room, 'again')
  await downgrades(mia, 'free')
  expect(await tierOf(bob)).toBe('free')
  line.hangsUp()
})

test('an invitation says whose it is and for whom; one for nobody, or with a wrong address or name, is refused in the words of its field', async () => {
  const mia = await master()
  const made = await mia.does(familyApi.invite, { inviteeUsername: ' bob ', inviteeEmail: '' })
  expect(made).toMatchObject({ masterUserId: mia.id, inviteeUsername: 'bob', inviteeEmail: null, status: 'pending' })
  const wrongs: [object, string][] = [
    [{}, 'Please provide either email or username'],
    [{ inviteeEmail: ' ', inviteeUsername: '' }, 'Please provide either email or username'],
    [{ inviteeEmail: 'bob', inviteeUsername: 'bob' }, 'Please enter a valid email'],
    [{ inviteeEmail: `${'b'.repeat(250)}@example.org` }, 'Please enter a valid email'],
    [{ inviteeEmail: 7 }, 'Please enter a valid email'],
    [{ inviteeUsername: 'bo' }, 'Username must be at least 3 characters'],
  ]
  for (const [wrong, text] of wrongs) {
    const answer = await mia.tries(familyApi.invite, { ...wrong })
    expect(answer).toBeRefused(400, 'invalid_input')
    expect(answer.body).toMatchObject({ error: text })
  }
})

test('a plan of one’s own that allows more stays, and one that allows less comes back at the end', async () => {
  const [mia, bob] = [await master(), await world.person('bob', 'enterprise')]
  expect((await accepts(bob, await invites(mia))).status).toBe(200)
  expect(await tierOf(bob)).toBe('enterprise')
  await world.sql("update users set subscription_tier = 'test' where id = $1", [bob.id])
  expect(await tierOf(bob)).toBe('premium')
  await bob.does(familyApi.leave, {})
  expect(await tierOf(bob)).toBe('test')
  expect(await bob.does(familyApi.leave, {})).toEqual({})
})

test('of six who accept at once one gets the one place, by six links or by one', async () => {
  const mia = await master()
  for (let count = 0; count < 4; count++) await accepts(await person('member'), await invites(mia))
  const six = await Promise.all(Array.from({ length: 6 }, () => person('racer')))
  const token = await invites(mia)
  // Six open links for one place come about by no call; whoever writes them into the database gets no sixth member.
  const links = await Promise.all(
    six.map(async (_, at) => {
      const link = `${at}`.repeat(32)
      await world.sql(
        `insert into master_invitations (id, master_user_id, invitation_token, status, expires_at, created_at)
         select gen_random_uuid(), master_user_id, $2, 'pending', expires_at, created_at from master_invitations where invitation_token = $1`,
        [token, link],
      )
      return link
    }),
  )
  const answers = await Promise.all(six.map((racer, at) => accepts(racer, links[at] ?? '')))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  expect(await membersOf(mia)).toHaveLength(5)
  expect(await mia.tries(familyApi.invite, { inviteeUsername: 'sixth' })).toMatchObject({
    status: 409,
    body: { error: 'Maximum family members reached (5/5)' },
  })

  const ida = await world.person('ida', 'master')
  const one = await invites(ida)
  const others = await Promise.all(Array.from({ length: 6 }, () => person('other')))
  const again = await Promise.all(others.map((other) => accepts(other, one)))
  expect(again.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410, 410])
})

test('an expired, a used, a declined and a cancelled link open nothing, and free their place', async () => {
  const [mia, bob, eve] = [await master(), await person('bob'), await person('eve')]
  const isOver = async (token: string) => {
    expect(await accepts(eve, token)).toBeRefused(410, 'invitation_over')
    expect(await world.stranger().tries(familyApi.show, { token })).toBeRefused(410, 'invitation_over')
  }
  const [used, declined, cancelled] = [await invites(mia), await invites(mia), await invites(mia)]
  await accepts(bob, used)
  await isOver(used)
  await eve.does(familyApi.decline, { token: declined })
  await isOver(declined)
  const open = (await mia.does(familyApi.invitations, {})).find(({ invitationToken }) => invitationToken === cancelled)
  expect(await mia.does(familyApi.cancel, { invitationId: open?.id ?? '' })).toMatchObject({ status: 'cancelled' })
  await isOver(cancelled)
  const late = await invites(mia)
  world.passes(FAMILY.invitationDays * DAY)
  await mia.returns()
  await eve.returns()
  await isOver(late)
  expect((await mia.does(familyApi.invitations, {})).map(({ status }) => status)).toEqual([
    'expired',
    'cancelled',
    'declined',
    'accepted',
  ])
  // The newest are kept, and no more.
  await world.sql(
    `insert into master_invitations (id, master_user_id, invitation_token, status, expires_at, created_at)
     select gen_random_uuid(), $1, 'old ' || n, 'cancelled', now(), now() - interval '1 day' from generate_series(1, 60) n`,
    [mia.id],
  )
  await invites(mia)
  const kept = await mia.does(familyApi.invitations, {})
  expect(await world.sql('select from master_invitations where master_user_id = $1', [mia.id])).toHaveLength(
    FAMILY.invitationsMax,
  )
  expect(kept[0]).toMatchObject({ status: 'pending' })
  await mia.does(familyApi.cancel, { invitationId: kept[0]?.id ?? '' })
  // One member: four places are free again.
  for (let count = 0; count < 4; count++) await invites(mia)
  expect(await mia.tries(familyApi.invite, { inviteeUsername: 'more' })).toMatchObject({
    status: 409,
    body: { error: 'All places are taken by members and pending invitations' },
  })
  expect(await eve.tries(familyApi.accept, { token: 'x'.repeat(32) })).toBeRefused(404, 'unknown_invitation')
  // A link that was cut, or is no link, is answered in the same words.
  for (const token of ['x', 'x'.repeat(31), 'x'.repeat(33), '%00'.repeat(8), '../../user'])
    expect(await world.stranger().tries(familyApi.show, { token })).toMatchObject({
      status: 400,
      body: { error: REFUSALS.unknown_invitation.text },
    })
})

test('the owner passes a place on twelve times: ten people have it within 30 days, and the next one after those', async () => {
  const mia = await master()
  const people = await Promise.all(Array.from({ length: 12 }, () => person('passed')))
  const statuses: number[] = []
  for (const who of people) {
    const invited = await mia.tries(familyApi.invite, { inviteeUsername: who.username })
    if (invited.status !== 200) expect(invited).toBeRefused(409, 'family_joins_spent')
    else await accepts(who, Object(invited.body).invitationToken)
    statuses.push(invited.status)
    if (invited.status === 200) await mia.does(familyApi.removeMember, { memberId: who.id })
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 409, 409])
  // Neither a list that is trimmed nor a link of before lets the eleventh in.
  await world.sql(
    `insert into master_invitations (id, master_user_id, invitation_token, status, expires_at, created_at)
     select gen_random_uuid(), master_user_id, repeat('p', 32), 'pending', expires_at, created_at
     from master_invitations where master_user_id = $1 limit 1`,
    [mia.id],
  )
  expect(await accepts(people[11] ?? mia, 'p'.repeat(32))).toBeRefused(409, 'family_joins_spent')
  await world.sql(
    "update master_invitations set accepted_at = accepted_at - interval '30 days 1 minute' where master_user_id = $1",
    [mia.id],
  )
  expect((await accepts(people[11] ?? mia, 'p'.repeat(32))).status).toBe(200)
})

test('sixty invitations that were taken back do not hide who joined, and an honest family changes its places freely', async () => {
  const mia = await master()
  for (let count = 0; count < 9; count++) {
    const who = await person('kin')
    await accepts(who, await invites(mia))
    await who.does(familyApi.leave, {})
  }
  await world.sql(
    `insert into master_invitations (id, master_user_id, invitation_token, status, expires_at, created_at)
     select gen_random_uuid(), $1, 'back ' || n, 'cancelled', expires_at, created_at + interval '1 minute'
     from generate_series(1, 60) n, (select * from master_invitations where master_user_id = $1 limit 1) one`,
    [mia.id],
  )
  const token = await invites(mia)
  expect(
    await world.sql("select from master_invitations where master_user_id = $1 and status = 'accepted'", [mia.id]),
  ).toHaveLength(9)
  // A link counts while it is open, and no longer once it is taken back.
  expect(await mia.tries(familyApi.invite, { inviteeUsername: 'more' })).toBeRefused(409, 'family_joins_spent')
  expect((await accepts(await person('kin'), token)).status).toBe(200)
})

test('an open invitation stays, however many were made and taken back after it', async () => {
  const [mia, bob] = [await master(), await person('bob')]
  const token = await invites(mia)
  await world.sql(
    `insert into master_invitations (id, master_user_id, invitation_token, status, expires_at, created_at)
     select gen_random_uuid(), master_user_id, 'after ' || n, 'cancelled', expires_at, created_at + interval '1 minute'
     from master_invitations, generate_series(1, 60) n where invitation_token = $1`,
    [token],
  )
  await invites(mia)
  const kept = await mia.does(familyApi.invitations, {})
  expect(kept).toHaveLength(FAMILY.invitationsMax)
  expect(kept.filter(({ status }) => status === 'pending')).toHaveLength(2)
  expect((await accepts(bob, token)).status).toBe(200)
})

test('Eve, who is blocked or deleted, joins nothing, not even where that happens while she waits', async () => {
  const [mia, eve, gone] = [await master(), await person('eve'), await person('eve')]
  const token = await invites(mia)
  await gone.does(accountApi.remove, { password: gone.authSecret, kdf: 1 })
  expect(await accepts(gone, token)).toBeRefused(401, 'not_signed_in')
  const held = await world.pool.connect()
  try {
    await held.query('begin')
    await held.query('select from users where id = $1 for no key update', [mia.id])
    const joining = accepts(eve, token)
    await world.lockWaits()
    // A block ends the sessions. Whoever waits may hold her own row, so that is not touched here.
    await world.sql('delete from sessions where user_id = $1', [eve.id])
    await held.query('commit')
    expect(await joining).toBeRefused(401, 'not_signed_in')
  } finally {
    held.release()
  }
  await world.sql('update users set is_active = false where id = $1', [eve.id])
  for (const call of [familyApi.accept, familyApi.decline])
    expect(await eve.tries(call, { token })).toBeRefused(401, 'not_signed_in')
  expect(await membersOf(mia)).toEqual([])
  expect((await accepts(await person('bob'), token)).status).toBe(200)
})

test('the links of a master who downgrades, or is blocked, open nothing until the plan or the account is back', async () => {
  const [mia, bob] = [await master(), await person('bob')]
  const token = await invites(mia)
  const isOver = async () => {
    expect(await world.stranger().tries(familyApi.show, { token })).toBeRefused(410, 'invitation_over')
    for (const call of [familyApi.accept, familyApi.decline])
      expect(await bob.tries(call, { token })).toBeRefused(410, 'invitation_over')
  }
  await downgrades(mia, 'premium')
  await isOver()
  expect(await mia.tries(familyApi.invite, { inviteeUsername: 'bob' })).toBeRefused(403, 'master_required')
  await downgrades(mia, 'master')
  await world.sql('update users set is_active = false where id = $1', [mia.id])
  await isOver()
  await world.sql('update users set is_active = true where id = $1', [mia.id])
  expect(await mia.tries(familyApi.decline, { token })).toBeRefused(409, 'own_invitation')
  expect((await accepts(bob, token)).status).toBe(200)
})

test('whoever is removed or leaves is told at once, as is the owner, and shows nothing of being online in the next circle', async () => {
  const [mia, ida, bob] = [await master(), await world.person('ida', 'master'), await person('bob')]
  const [ofMia, ofBob] = await Promise.all([mia.opensSocket(), bob.opensSocket()])
  await world.presence.beat()
  const hearsOf = async (line: typeof ofMia, act: () => Promise<unknown>) => {
    const before = line.frames.length
    await act()
    await expect.poll(() => line.frames.slice(before).some(({ type }) => type === 'account')).toBe(true)
  }
  await hearsOf(ofMia, async () => bob.does(familyApi.accept, { token: await invites(mia), showsOnline: true }))
  expect(await mia.does(familyApi.members, {})).toMatchObject([{ isOnline: true }])
  await hearsOf(ofBob, () => mia.does(familyApi.removeMember, { memberId: bob.id }))
  expect(await mia.tries(familyApi.removeMember, { memberId: bob.id })).toBeRefused(404, 'not_found')
  await accepts(bob, await invites(ida))
  expect(await ida.does(familyApi.members, {})).toMatchObject([{ isOnline: false }])
  await bob.does(familyApi.leave, {})
  await hearsOf(ofMia, async () => accepts(bob, await invites(mia)))
  await hearsOf(ofMia, () => bob.does(familyApi.leave, {}))
  expect(await mia.does(familyApi.members, {})).toEqual([])
  ofMia.hangsUp()
  ofBob.hangsUp()
})

test('Eve invites nobody, removes nobody of others, and joins no two circles', async () => {
  const [mia, ida, bob, eve] = [await master(), await world.person('ida', 'master'), await person('bob'), await person('eve')]
  await accepts(bob, await invites(mia))
  expect(await eve.tries(familyApi.invite, { inviteeUsername: 'friend' })).toBeRefused(403, 'master_required')
  expect(await eve.tries(familyApi.removeMember, { memberId: bob.id })).toBeRefused(403, 'master_required')
  expect(await ida.tries(familyApi.removeMember, { memberId: bob.id })).toBeRefused(404, 'not_found')
  const [open] = await mia.does(familyApi.invitations, {})
  expect(await ida.tries(familyApi.cancel, { invitationId: open?.id ?? '' })).toBeRefused(404, 'not_found')
  expect(await accepts(bob, await invites(ida))).toBeRefused(409, 'already_in_family')
  expect(await accepts(mia, await invites(ida))).toBeRefused(409, 'already_in_family')
  expect(await accepts(mia, await invites(mia))).toBeRefused(409, 'own_invitation')
  expect(await bob.tries(familyApi.invite, { inviteeUsername: 'friend' })).toBeRefused(403, 'master_required')
  expect(await mia.tries(familyApi.invite, {})).toMatchObject({ body: { error: 'Please provide either email or username' } })
  expect(await mia.tries(familyApi.invite, { inviteeUsername: 'ab' })).toMatchObject({
    body: { error: 'Username must be at least 3 characters' },
  })
  await mia.does(familyApi.removeMember, { memberId: bob.id })
  expect(await tierOf(bob)).toBe('free')
})

test('whom a member blocks, or who blocks them, sees them away on the family page as in the chat, and their photo as a contact alone', async () => {
  const [mia, bob] = [await master(), await person('bob')]
  await bob.does(familyApi.accept, { token: await invites(mia), showsOnline: true })
  await world.sql("update users set profile_image_url = '/objects/uploads/bob' where id = $1", [bob.id])
  const line = await bob.opensSocket()
  await world.presence.beat()
  const member = async () => (await mia.does(familyApi.members, {}))[0]
  await expect.poll(member).toMatchObject({ isOnline: true, profileImageUrl: null })
  await mia.talksTo(bob)
  const seen = { isOnline: true, profileImageUrl: '/objects/uploads/bob' }
  expect(await member()).toMatchObject(seen)
  const idOf = async (who: Person) => (await who.contacts())[0]?.id ?? ''
  const [hers, his] = [await idOf(mia), await idOf(bob)]
  // To whom is blocked the photo stays: its end would tell.
  await bob.does(contactsApi.block, { contactId: his })
  expect(await member()).toMatchObject({ ...seen, isOnline: false })
  await bob.does(contactsApi.unblock, { contactId: his })
  await mia.does(contactsApi.block, { contactId: hers })
  expect(await member()).toMatchObject({ isOnline: false, profileImageUrl: null })
  await mia.does(contactsApi.unblock, { contactId: hers })
  expect(await member()).toMatchObject(seen)
  line.hangsUp()
})

test('the member decides whether they are seen online, and a deleted account leaves and frees its circle', async () => {
  const [mia, bob] = [await master(), await person('bob')]
  await accepts(bob, await invites(mia))
  const line = await bob.opensSocket()
  await world.presence.beat()
  const isOnline = async () => (await mia.does(familyApi.members, {}))[0]?.isOnline
  expect(await isOnline()).toBe(false)
  await bob.does(familyApi.setOnline, { showsOnline: true })
  await expect.poll(isOnline).toBe(true)
  line.hangsUp()
  await mia.does(accountApi.remove, { password: mia.authSecret, kdf: 1 })
  expect(await bob.does(familyApi.own, {})).toMatchObject({ membership: null })
  expect(await tierOf(bob)).toBe('free')
  expect(await world.sql('select from master_invitations where master_user_id = $1', [mia.id])).toEqual([])
})
