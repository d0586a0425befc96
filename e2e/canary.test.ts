import { expect } from 'vitest'
import { joined, personWithProfile, startChat, testAtOwnServer as test } from './people.ts'
import { everyFile, everyRow, finds } from './tables.ts'

const canary = () => `canary${crypto.randomUUID().replaceAll('-', '')}`

test('After a conversation no word of it and no password lies in the database, the log, or the browsers’ storage', async ({
  server,
}) => {
  const [alice, bob] = await Promise.all([
    joined(server, await personWithProfile(server, 'Alice')),
    joined(server, await personWithProfile(server, 'Bob')),
  ])
  const [fromAlice, fromBob, draft] = [canary(), canary(), canary()]
  await startChat(alice, bob)
  await alice.says(`${fromAlice} is what I say`)
  await bob.reads(fromAlice)
  await bob.says(`${fromBob} is my answer`)
  await alice.reads(fromBob)
  await alice.drafts(draft)
  // The search has put the message into the index on disk.
  await alice.page.getByPlaceholder('Search').fill(fromBob)
  await alice.page.getByRole('region', { name: 'Messages' }).getByRole('link', { name: fromBob }).waitFor()

  const database = await everyRow(server.dataFolder)
  await alice.leaves()
  await bob.leaves()
  const [files, profiles] = await Promise.all([
    everyFile(server.dataFolder),
    Promise.all([alice, bob].map(({ profile }) => everyFile(profile))),
  ])
  const places = { database, files, log: server.output(), aliceProfile: profiles[0] ?? '', bobProfile: profiles[1] ?? '' }

  // The scan works: it finds a word that is public in each place.
  expect(finds(places.database, bob.username)).toBe(true)
  expect(finds(places.files, bob.username)).toBe(true)
  expect(finds(places.log, 'Conclave is ready')).toBe(true)
  expect(finds(places.aliceProfile, alice.username)).toBe(true)
  for (const before of ['', 'a', 'ab'])
    for (const after of ['', 'y', 'yz']) expect(finds(btoa(before + draft + after), draft)).toBe(true)

  for (const [place, text] of Object.entries(places)) {
    for (const word of [fromAlice, fromBob, draft, alice.password, bob.password]) {
      expect(finds(text, word), `${word} lies in the ${place}`).toBe(false)
    }
  }
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
})
