import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { readSealedFor } from '../../../contract/chat/envelope.ts'
import { SILENT_LIMITS } from '../../../contract/chat/messages.ts'
import { utf8 } from '../../../contract/ground/bytes.ts'
import { STEADY } from '../../../contract/ground/steady.ts'
import { callLine } from '../../testing/callline.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { openLive } from '../account/openAccount.ts'

const sizesIn = (wire: Wire, roomId: string): number[] =>
  (wire.rooms.get(roomId)?.log ?? []).flatMap((one) => (one.kind === 'message' ? [one.content.length] : []))

test('With steady traffic short messages of any length and room are equally long, longer ones one of few lengths, and all are read', async () => {
  const { alice, bob, wire, roomId } = await people()
  const sizes = () => sizesIn(wire, roomId)
  const texts = ['a', 'b'.repeat(900), 'c'.repeat(3000), 'd'.repeat(4000), 'e'.repeat(7000), 'f'.repeat(15_000)]
  for (const text of texts) await alice.says(bob, text)
  const plain = sizes()
  expect(new Set(plain).size).toBe(5)
  await alice.core.setSteady(true)
  expect(await (await alice.newTab()).core.isSteady()).toBe(true)
  for (const text of texts) await alice.says(bob, text)
  const [a, b, c, d, e, f] = sizes().slice(6)
  expect([b, c]).toEqual([a, a])
  expect((a ?? 0) - (plain[0] ?? 0)).toBe(((STEADY.textBytes - STEADY.plainTextBytes) * 4) / 3)
  expect([d, e, f]).toEqual(plain.slice(3))
  expect(await bob.hears(alice)).toEqual([...texts, ...texts])
  await alice.core.setSteady(false)
  await alice.says(bob, 'a')
  expect(sizes().at(-1)).toBe(plain[0])
})

test('What one tab has switched holds for the next message of a tab that has sent before', async () => {
  const { alice, bob, wire, roomId } = await people()
  const tab = await alice.newTab()
  for (const isOn of [false, true, false]) {
    await alice.core.setSteady(isOn)
    await tab.says(bob, 'a')
  }
  const [plain = 0, steady, again] = sizesIn(wire, roomId)
  expect(steady).toBeGreaterThan(plain)
  expect(again).toBe(plain)
})

test('Steady traffic that a browser of an earlier build had switched on stays on, and can be switched off for good', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'a')
  const { vault } = await openLive(alice.userId, alice.unlock)
  await vault.write([{ store: 'sealed', key: 'steady', value: { json: true } }])
  expect(await alice.core.isSteady()).toBe(true)
  await alice.says(bob, 'a')
  const [plain = 0, steady] = sizesIn(wire, roomId)
  expect(steady).toBeGreaterThan(plain)
  await alice.core.setSteady(false)
  expect(await (await alice.newTab()).core.isSteady()).toBe(false)
  vault.close()
})

test('Who switches it off while another tab takes over what an earlier build had switched on has it off', async () => {
  const { alice } = await people()
  const tab = await alice.newTab()
  const { vault } = await openLive(alice.userId, alice.unlock)
  await vault.write([{ store: 'sealed', key: 'steady', value: { json: true } }])
  vault.close()
  let switching: Promise<void> | undefined
  const { get } = IDBObjectStore.prototype
  const reads = vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementation(function (this: IDBObjectStore, key) {
    if (key === 'steady') switching ??= tab.core.setSteady(false)
    return get.call(this, key)
  })
  await alice.core.isSteady()
  await switching
  reads.mockRestore()
  expect(await alice.core.isSteady()).toBe(false)
})

test('What a call writes stays below what the server takes of a silent message', async () => {
  const { alice, bob } = await people()
  await alice.says(bob, 'hello')
  await alice.core.setSteady(true)
  const content = callLine()
  const { id: chatRoomId, peerIds } = { ...alice.room(bob), peerIds: [bob.userId] }
  const row = await alice.core.keepInOutbox({
    id: randomUUID(),
    chatRoomId,
    content,
    replyToId: null,
    sentAt: new Date().toISOString(),
  })
  const sealed = await alice.core.sealOutboxRow({ chatRoomId, peerIds, id: row.id })
  expect(readSealedFor(sealed?.envelope ?? '')).toBeDefined()
  expect(utf8(sealed?.envelope ?? '').length).toBeLessThanOrEqual(SILENT_LIMITS.bytes)
})
