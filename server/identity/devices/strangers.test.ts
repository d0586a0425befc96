import { expect, test } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { type CommitDraft, roomsApi } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { creation, following, random, sealed } from '../../testing/group.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ hasLimits: true })

const DAY = 24 * 60 * 60

async function asking() {
  const [alice, eve] = [await world.person('alice'), await world.person('eve')]
  const { chatRoomId } = await eve.adds(alice)
  return { alice, eve, chatRoomId }
}

const looks = async (who: Person, at: Person, version?: number) =>
  await who.does(devicesApi.manifest, { userId: at.id, ...(version && { version }) })

test('Eve asks all day for the browsers of Alice, who has not accepted her: after a few looks she is given the same again, at every door', async () => {
  const { alice, eve, chatRoomId } = await asking()
  const seen = async () => {
    const [row] = (await eve.does(roomsApi.list, {})).rooms
    const [contact] = await eve.contacts()
    const refused = await eve.tries(messagesApi.send, { chatRoomId, content: sealed(random(48), 7), messageType: 'text' })
    expect(refused).toBeRefused(409, 'stale_epoch')
    const { details } = refused.body as { details?: { manifestVersions?: Record<string, number> } }
    return [row?.people[0]?.manifestVersion, contact?.contactUser.manifestVersion, details?.manifestVersions?.[alice.id]]
  }
  // Before her first look a row says no more than that there is a browser.
  await alice.addsBrowser()
  expect(await seen()).toEqual([1, 1, 1])
  const { counter } = await eve.does(roomsApi.list, {})
  expect(await looks(eve, alice)).toMatchObject({ version: 2 })
  expect(await seen()).toEqual([2, 2, 2])
  expect((await eve.does(roomsApi.list, { since: counter ?? '' })).rooms).toMatchObject([{ chatRoomId }])
  const laptop = await alice.addsBrowser()
  expect(await seen()).toEqual([2, 2, 2])
  for (let look = 1; look < RATES.listOfStranger.points - 1; look++) expect((await looks(eve, alice)).version).toBe(3)
  await eve.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })
  const refusedCommit = async (known: Record<string, number>) => {
    const answer = await eve.tries(roomsApi.commit, { ...creation(chatRoomId), manifestVersions: known })
    expect(answer).toBeRefused(409, 'stale_manifest')
    return (answer.body as { details?: { manifestVersions?: unknown } }).details?.manifestVersions
  }
  // A refused commit tells the version too, so it counts: this is the last look.
  expect(await refusedCommit({ [eve.id]: 1, [alice.id]: 2 })).toEqual({ [eve.id]: 1, [alice.id]: 3 })
  const last = await looks(eve, alice)
  await alice.changesKeys({ removes: [laptop.deviceId] })
  for (const version of [undefined, 3, 4, 900]) expect(await looks(eve, alice, version)).toEqual(last)
  expect(await looks(eve, alice, 1)).toMatchObject({ version: 3 })
  expect(await seen()).toEqual([3, 3, 3])
  // Her page must drop its commit, so it is told so also without a look.
  for (const known of [1, 3])
    expect(await refusedCommit({ [eve.id]: 1, [alice.id]: known })).toEqual({ [eve.id]: 1, [alice.id]: 3 })

  world.passes(DAY)
  await alice.returns()
  await eve.returns()
  expect(await looks(eve, alice)).toMatchObject({ version: 4 })
  // From the acceptance on she sees what a contact sees, as often as she asks.
  await alice.does(contactsApi.add, { username: eve.username })
  await alice.addsBrowser()
  for (let look = 0; look < RATES.listOfStranger.points + 2; look++) expect((await looks(eve, alice)).version).toBe(5)
  expect(await seen()).toEqual([5, 5, 5])
})

test('Eve adds browsers of her own: that uses up none of her looks at Alice, and she is told of her own list alone', async () => {
  const { alice, eve, chatRoomId } = await asking()
  await eve.addsBrowser()
  await alice.addsBrowser()
  for (let attempt = 0; attempt <= RATES.listOfStranger.points; attempt++) {
    const answer = await eve.tries(roomsApi.commit, { ...creation(chatRoomId), manifestVersions: { [eve.id]: 1 } })
    expect(answer).toBeRefused(409, 'stale_manifest')
    expect(answer.body).toMatchObject({ details: { manifestVersions: { [eve.id]: 2 } } })
    expect(JSON.stringify(answer.body)).not.toContain(alice.id)
  }
  expect(await looks(eve, alice)).toMatchObject({ version: 2 })
})

test('Eve posts commits that are refused anyway, to see whether Alice has changed her browsers: the answer is the same before and after', async () => {
  const { alice, eve, chatRoomId } = await asking()
  const known = { [eve.id]: 1, [alice.id]: 1 }
  const posts = ({ chatRoomId: _, ...body }: CommitDraft) =>
    eve.request('POST', `/api/rooms/${chatRoomId}/commits`, { body: { ...body, manifestVersions: known } })
  let draft = creation(chatRoomId)
  const unclaimed = await posts(draft)
  expect(unclaimed).toBeRefused(400, 'invalid_input')
  for (let commits = 0; commits < LIMITS.commitsOfRequest; commits++) {
    if (commits > 0) draft = following(draft)
    await eve.does(roomsApi.commit, draft)
  }
  const unanswered = await posts(following(draft))
  expect(unanswered).toBeRefused(429, 'request_unanswered')
  await alice.addsBrowser()
  expect((await posts(creation(chatRoomId, 2))).body).toEqual(unclaimed.body)
  expect((await posts(following(draft))).body).toEqual(unanswered.body)
})

/** Uses up Eve's looks at Alice. */
async function hasLooked({ alice, eve }: Record<'alice' | 'eve', Person>) {
  for (let look = 0; look < RATES.listOfStranger.points; look++) await looks(eve, alice)
}

test('Eve and Alice were contacts and are no more: Eve is never shown an older device list than she holds, which would look like an attack', async () => {
  const { alice, eve } = await asking()
  await alice.addsBrowser()
  await hasLooked({ alice, eve })
  const { id: contactId } = await alice.does(contactsApi.add, { username: eve.username })
  const laptop = await alice.addsBrowser()
  const held = await looks(eve, alice)
  expect(held).toMatchObject({ version: 3 })
  const written = () => world.sql('select xmin::text, version from shown_manifests where viewer_id = $1', [eve.id])
  const before = await written()
  await looks(eve, alice)
  expect(await written()).toEqual(before)

  await alice.does(contactsApi.remove, { contactId })
  await alice.changesKeys({ removes: [laptop.deviceId] })
  expect(await looks(eve, alice)).toEqual(held)
  expect((await eve.contacts())[0]?.contactUser.manifestVersion).toBe(3)
})

test('Alice has changed her browsers so often that what Eve was given is kept no more: Eve gets the oldest kept list under its own number', async () => {
  const { alice, eve } = await asking()
  await hasLooked({ alice, eve })
  for (let more = 0; more < 3; more++) await alice.addsBrowser()
  await world.sql('delete from manifest_versions where user_id = $1 and version < 3', [alice.id])
  const { manifest } = await looks(alice, alice, 3)
  for (const version of [undefined, 1, 900]) expect(await looks(eve, alice, version)).toMatchObject({ manifest, version: 3 })
  expect(await looks(alice, alice, 1)).toMatchObject({ version: 4, manifest: (await looks(alice, alice)).manifest })
})
