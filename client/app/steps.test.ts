import { expect, test } from 'vitest'
import { directOf } from '../testing/direct.ts'
import { people } from '../testing/room.ts'
import { firstSteps } from './steps.ts'

const done = (known: Parameters<typeof firstSteps>[0]) =>
  firstSteps(known)
    .filter(({ isDone }) => isDone)
    .map(({ id }) => id)

test('The three steps of the first day tick themselves, and verifying leads to somebody who can be verified', async () => {
  const { alice, bob } = await people()
  const { room, person } = directOf(alice.contact(bob))
  const known = (change: Partial<typeof person>) => new Map([[person.id, { ...person, ...change }]])
  const nobody = { hasKit: false, rooms: [], people: new Map() }
  expect(done(nobody)).toEqual([])
  expect(firstSteps(nobody).find(({ id }) => id === 'verify')).not.toHaveProperty('href')
  expect(done({ ...nobody, rooms: [{ ...room, direct: { ...room.direct, state: 'pending' } }], people: known({}) })).toEqual([])
  const added = { hasKit: true, rooms: [room], people: known({}) }
  expect(done(added)).toEqual(['kit', 'contact'])
  expect(firstSteps(added).find(({ id }) => id === 'verify')?.href).toBe(`/chat/${room.id}`)
  // Nobody is called a contact who has not answered.
  const asked = { ...added, rooms: [{ ...room, direct: { ...room.direct, hasAnswered: false } }] }
  expect(firstSteps(asked)[1]).toMatchObject({ title: 'Request sent', text: `@${person.username} has not answered yet.` })
  expect(firstSteps({ ...added, rooms: [...asked.rooms, room] })[1]?.title).toBe('First contact added')
  // Whoever has no browser yet has no number to compare.
  const withoutKeys = { ...added, people: known({ identityKey: null }) }
  expect(firstSteps(withoutKeys).find(({ id }) => id === 'verify')).not.toHaveProperty('href')
  expect(done({ ...added, people: known({ isVerified: true }) })).toEqual(['kit', 'contact', 'verify'])
})
