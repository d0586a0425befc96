import { beforeAll, expect, test } from 'vitest'
import { people } from '../../testing/room.ts'
import { fetchNamed } from './fetchNamed.ts'
import { refreshPeers, refreshStale } from './peers.ts'

// Three accounts are created once for the file, because Argon2id and key generation are slow.
beforeAll(async () => void (await people()))

/** Alice with Bob and Carol as the peers of one room, after she has seen their keys. */
async function three() {
  const { wire, alice, bob, eve: carol } = await people()
  const accounts = () => ({ ownId: alice.userId, peers: [...alice.room(bob).peers, ...alice.room(carol).peers] })
  expect(await refreshPeers(alice.env, accounts())).toEqual(new Map())
  const versionOf = (userId: string) => alice.core.manifestVersion(userId)
  return { wire, alice, bob, carol, accounts, versionOf }
}

test("Eve's server swaps the key of one of two peers: that one is named, and the other is refreshed all the same", async () => {
  const { wire, alice, bob, carol, accounts, versionOf } = await three()
  const other = wire.accounts.get(alice.userId)
  if (!other) throw new Error('The account is not on the wire')
  wire.accounts.set(bob.userId, other)
  await carol.newComputer()
  expect(await refreshPeers(alice.env, accounts())).toEqual(new Map([[bob.userId, 'key_changed']]))
  expect(await versionOf(carol.userId)).toBe(2)
})

test('A message or a refusal that names newer lists of two peers brings both, whatever the contact list says', async () => {
  const { alice, bob, carol, accounts, versionOf } = await three()
  const old = accounts()
  for (const person of [bob, carol]) await person.newComputer()
  const newerManifests = { [bob.userId]: 2, [carol.userId]: 2 }
  await fetchNamed(alice.env, old, { newerManifests, ownManifest: 0, ownBook: 0 })
  expect([await versionOf(bob.userId), await versionOf(carol.userId)]).toEqual([2, 2])

  for (const person of [bob, carol]) await person.newComputer()
  await refreshStale(alice.env, old, { manifestVersions: { [bob.userId]: 3, [carol.userId]: 3 } })
  expect([await versionOf(bob.userId), await versionOf(carol.userId)]).toEqual([3, 3])
})
