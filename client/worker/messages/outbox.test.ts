import { beforeEach, expect, test, vi } from 'vitest'
import type { TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'

let alice: TestPerson
let bob: TestPerson
let place: { chatRoomId: string; peerIds: string[] }

beforeEach(async () => {
  const at = await people()
  alice = at.alice
  bob = at.bob
  place = { chatRoomId: at.roomId, peerIds: [bob.userId] }
})

const keep = (text: string) =>
  alice.core.keepInOutbox({
    ...{ id: crypto.randomUUID(), chatRoomId: place.chatRoomId, replyToId: null, sentAt: new Date().toISOString() },
    content: { type: 'text', text },
  })

test('Messages leave in the order of writing, from two tabs as well', async () => {
  const tab = await alice.newTab()
  const rows = await Promise.all(['a', 'b', 'c', 'd'].map((text, at) => (at % 2 ? keep(text) : keepIn(tab, text))))
  const orders = rows.map(({ order }) => order)
  expect(new Set(orders).size).toBe(4)
  expect((await alice.core.outbox(place.chatRoomId)).map(({ order }) => order)).toEqual([...orders].sort((a, b) => a - b))
  expect(await tab.core.roomsWithOutbox()).toEqual([place.chatRoomId])
})

const keepIn = (tab: TestPerson, text: string) =>
  tab.core.keepInOutbox({
    ...{ id: crypto.randomUUID(), chatRoomId: place.chatRoomId, replyToId: null, sentAt: new Date().toISOString() },
    content: { type: 'text', text },
  })

test('Nothing is sealed for a room that this browser is not in', async () => {
  const { id } = await keep('hello')
  await bob.says(alice, 'good evening')
  await expect(alice.core.sealOutboxRow({ ...place, id })).rejects.toMatchObject({ code: 'outside' })
  expect((await alice.core.outbox(place.chatRoomId))[0]).toMatchObject({ envelope: null, failure: null })
})

test("A device that Bob's list does not name any more gets nothing, also when another tab has just learned of it", async () => {
  await alice.says(bob, 'hello')
  const { id } = await keep('a secret')
  const { live, inRoom } = await patchedClient(alice, bob)
  const { accounts } = await inRoom(async (room) => room)
  // Simulates a device list that was replaced meanwhile by one without the device.
  const seal = alice.core.sealOutboxRow({ ...place, id })
  expect((await seal)?.envelope).toBeTruthy()
  await alice.core.changeOutbox({ chatRoomId: place.chatRoomId, id, failure: null, unseal: true })
  await live.vault.write([{ store: 'sealed', key: `peer:${bob.userId}`, value: null }])
  expect(accounts.others[0]?.manifest.devices).toHaveLength(1)
  await expect(alice.core.sealOutboxRow({ ...place, id })).rejects.toMatchObject({ code: 'not_ready' })
})

test('A sealed message is handed out again as it is; only a room that has moved on asks for new bytes', async () => {
  await alice.says(bob, 'hello')
  const { id } = await keep('three')
  const first = await alice.core.sealOutboxRow({ ...place, id })
  expect(await alice.core.sealOutboxRow({ ...place, id })).toEqual(first)
  await alice.core.changeOutbox({ chatRoomId: place.chatRoomId, id, failure: 'Refused', unseal: false })
  expect((await alice.core.sealOutboxRow({ ...place, id }))?.envelope).toBe(first?.envelope)
  await alice.core.changeOutbox({ chatRoomId: place.chatRoomId, id, failure: null, unseal: true })
  expect((await alice.core.sealOutboxRow({ ...place, id }))?.envelope).not.toBe(first?.envelope)
})

test.each([
  ['sealed by another tab as it is cancelled', 'seal'],
  ['cancelled as another tab seals it', 'take'],
] as const)('A message that is %s is sent, or its words come back: never both, never neither', async (_, first) => {
  await alice.says(bob, 'hello')
  const tab = await alice.newTab()
  const { chatRoomId } = place
  const { id } = await keep('the words')
  const take = () => alice.core.takeBack({ chatRoomId, id })
  const seal = () => tab.core.sealOutboxRow({ ...place, id })
  let taking: ReturnType<typeof take> | undefined
  let sealing: ReturnType<typeof seal> | undefined
  const { get } = IDBObjectStore.prototype
  const reads = vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementation(function (this: IDBObjectStore, key) {
    // One of them has read that the message waits, and decides by it.
    if (this.name === 'own' && key === id) {
      taking ??= take()
      sealing ??= seal()
    }
    return get.call(this, key)
  })
  if (first === 'take') taking = take()
  else sealing = seal()
  await (taking ?? sealing)
  const [text, sealed] = [await taking, await sealing]
  reads.mockRestore()
  const isSealed = first === 'seal'
  expect([text, typeof sealed?.envelope]).toEqual(isSealed ? [undefined, 'string'] : ['the words', 'undefined'])
  expect(await alice.core.readDraft(chatRoomId)).toBe(isSealed ? '' : 'the words')
  expect((await alice.core.outbox(chatRoomId)).map(({ envelope }) => envelope)).toEqual(isSealed ? [sealed?.envelope] : [])
  if (isSealed) await alice.sends(alice.room(bob))
  expect(await bob.hears(alice)).toEqual(isSealed ? ['hello', 'the words'] : ['hello'])
})

test('A message that is gone is neither changed nor sealed', async () => {
  const { id } = await keep('hello')
  await alice.core.dropFromOutbox({ chatRoomId: place.chatRoomId, id })
  await alice.core.changeOutbox({ chatRoomId: place.chatRoomId, id, failure: 'x', unseal: true })
  expect(await alice.core.sealOutboxRow({ ...place, id })).toBeUndefined()
  expect(await alice.core.outbox(place.chatRoomId)).toEqual([])
})
