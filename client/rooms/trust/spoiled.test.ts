import { beforeEach, expect, test } from 'vitest'
import { devicesApi, type SignedBook } from '../../../contract/account/devices.ts'
import { toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { at, type TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'
import { accountIn } from '../../testing/state.ts'
import type { Wire } from '../../testing/wire.ts'
import type { Live } from '../../worker/keys/live.ts'
import { signBook } from '../../worker/keys/signature.ts'
import { hkdf, sealWith } from '../../worker/primitives/seal.ts'
import { checkBook, syncBook } from './book.ts'

let wire: Wire
let alice: TestPerson
let bob: TestPerson
let eve: TestPerson

beforeEach(async () => {
  ;({ wire, alice, bob, eve } = await people())
  await alice.says(bob, 'hello')
  const { identityKey } = await alice.core.safetyNumber({ userId: bob.userId })
  await alice.core.setVerified({ userId: bob.userId, identityKey, isVerified: true })
  await syncBook(alice.env)
})

const accountOfAlice = () => accountIn(wire, alice.userId)

/** Seals a book under the account's history key, as any browser of the account can. */
async function sealedBy(live: Live, version: number, content: unknown): Promise<Omit<SignedBook, 'deviceId' | 'signature'>> {
  const history = live.history.at(-1)
  if (!history) throw new Error('No history key')
  const key = await hkdf(history.seed, 'conclave/book-key/v1')
  const plain = utf8(JSON.stringify(content))
  const sealed = toBase64(await sealWith(key, 'conclave/book/v1', plain, live.identityKey, String(version)))
  return { version, historyKeyId: history.id, sealed }
}

/** Stores a book on the server as the newest. */
function keeps(book: SignedBook): void {
  const account = accountOfAlice()
  account.book = book
  account.books = { ...account.books, [book.deviceId]: book }
}

test('A stolen browser fills the address book with rubbish: a new browser reads what the others wrote, says so, and the account goes on', async () => {
  const stolen = await alice.newComputer()
  const { live } = await at(stolen.computer, () => patchedClient(stolen, bob))
  const version = accountOfAlice().book.version + 1
  keeps(signBook(live, { ...(await sealedBy(live, version, {})), sealed: toBase64(crypto.getRandomValues(new Uint8Array(300))) }))
  const tablet = await alice.newComputer()
  await expect(checkBook(tablet.env)).rejects.toMatchObject({ code: 'book_spoiled' })
  expect(await tablet.verified()).toEqual([bob.userId])
  await checkBook(tablet.env)
  expect(accountOfAlice().book).toMatchObject({ version: version + 1, deviceId: tablet.deviceId })
  await tablet.says(bob, 'from the tablet')
  await checkBook(alice.env)
})

test("A book that somebody else's browser signed is not read, whatever key seals it", async () => {
  const { live } = await patchedClient(alice, bob)
  const eves = (await patchedClient(eve, bob)).live
  const pins = { [bob.userId]: { identityKey: toBase64(eves.identityKey), isVerified: true } }
  const version = accountOfAlice().book.version + 1
  const sealed = await sealedBy(live, version, { pins, aliases: {}, generations: {} })
  const forged = signBook({ ...live, device: eves.device }, sealed)
  const tablet = await alice.newComputer()
  for (const book of [forged, { ...forged, deviceId: alice.deviceId }]) {
    wire.lie = (_, path, answer) => (path === devicesApi.book.path ? { ...book, others: [] } : answer)
    await expect(checkBook(tablet.env)).rejects.toMatchObject({ code: 'book_unread' })
  }
  await expect(checkBook(alice.env)).rejects.toMatchObject({ code: 'book_spoiled' })
  expect((await alice.core.safetyNumber({ userId: bob.userId })).isVerified).toBe(true)
})

test('A book without a signature is of before: who has seen a signed one does not go back to it', async () => {
  const { live } = await patchedClient(alice, bob)
  const version = accountOfAlice().book.version + 1
  const unsigned = await sealedBy(live, version, { pins: {}, aliases: {}, generations: {} })
  wire.lie = (_, path, answer) =>
    path === devicesApi.book.path ? { ...unsigned, deviceId: null, signature: null, others: [] } : answer
  await expect(checkBook(alice.env)).rejects.toMatchObject({ code: 'book_spoiled' })
})

test('The server names a version that cannot be: no browser takes the number, and the account goes on', async () => {
  const { version } = accountOfAlice().book
  wire.lie = (_, path, answer) =>
    path === devicesApi.book.path ? { ...(answer as object), version: 2_147_483_647, others: [] } : answer
  await expect(checkBook(alice.env)).rejects.toMatchObject({ code: 'book_rollback' })
  wire.lie = undefined
  await checkBook(alice.env)
  await alice.says(eve, 'hello')
  await syncBook(alice.env)
  expect(accountOfAlice().book.version).toBeLessThan(version + 5)
})
