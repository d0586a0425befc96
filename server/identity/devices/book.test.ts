import { expect, test } from 'vitest'
import { devicesApi, type SignedBook } from '../../../contract/account/devices.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { newDeviceId, signedBook } from '../../testing/keys.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

test("Eve, with a password or a stolen cookie, cannot put rubbish in the place of Alice's address book", async () => {
  const [alice, eve] = [await world.person('alice'), await world.person('eve')]
  const good = signedBook(alice.identity, alice.deviceId, { version: 1 })
  await alice.does(devicesApi.saveBook, good)
  const thief = world.stranger()
  thief.cookie = alice.cookie
  const next = signedBook(alice.identity, alice.deviceId, { version: 2 })
  const rubbish = signedBook(alice.identity, alice.deviceId, { version: 9 }).sealed
  const forged: [string, SignedBook][] = [
    ['invalid_signature', { ...next, sealed: rubbish }],
    ['invalid_signature', { ...next, signature: good.signature }],
    ['invalid_signature', { ...signedBook(eve.identity, alice.deviceId, { version: 2 }) }],
    ['unknown_device', signedBook(alice.identity, eve.deviceId, { version: 2 })],
    ['unknown_device', signedBook(alice.identity, newDeviceId(), { version: 2 })],
  ]
  for (const [code, book] of forged) expect((await thief.tries(devicesApi.saveBook, { ...book })).code).toBe(code)
  const { deviceId: _, signature: __, ...unsigned } = next
  expect(await thief.tries(devicesApi.saveBook, unsigned)).toBeRefused(400, 'invalid_input')
  // The password alone signs in, without a device.
  const bare = await alice.elsewhere()
  expect((await bare.tries(devicesApi.saveBook, { ...next })).status).toBeGreaterThanOrEqual(400)
  expect(await alice.does(devicesApi.book, {})).toEqual({ ...good, others: [] })
})

test("Alice's stolen laptop cannot put a book that her phone has signed in its place: each browser saves its own alone", async () => {
  const alice = await world.person('alice')
  const phone = await alice.addsBrowser()
  const signedByPhone = signedBook(alice.identity, phone.deviceId, { version: 1 })
  expect((await alice.tries(devicesApi.saveBook, { ...signedByPhone })).code).toBe('unknown_device')
  expect((await alice.does(devicesApi.book, {})).version).toBe(0)
  await phone.does(devicesApi.saveBook, signedByPhone)
})

test('A stolen browser fills the address book with rubbish, version after version: what the other browsers wrote stays to be read', async () => {
  const alice = await world.person('alice')
  const stolen = await alice.addsBrowser()
  const good = signedBook(alice.identity, alice.deviceId, { version: 1 })
  await alice.does(devicesApi.saveBook, good)
  for (let version = 2; version < 14; version++)
    await stolen.does(devicesApi.saveBook, signedBook(alice.identity, stolen.deviceId, { version }))
  const newest = await alice.does(devicesApi.book, {})
  expect(newest).toMatchObject({ version: 13, deviceId: stolen.deviceId, others: [{ writer: alice.deviceId, version: 1 }] })
  expect(await alice.does(devicesApi.book, { writer: alice.deviceId })).toMatchObject(good)
  // The removal also deletes the books that the stolen device wrote.
  await alice.changesKeys({ removes: [stolen.deviceId] })
  expect(await alice.does(devicesApi.book, {})).toMatchObject({ version: 14, deviceId: alice.deviceId, others: [] })
})

test('Eve signs a book whose text is no base64: spaces, padding inside, letters of base64url or others are refused, and nothing is kept', async () => {
  const alice = await world.person('alice')
  const whole = signedBook(alice.identity, alice.deviceId, { version: 1, sealed: 'A'.repeat(300_000) })
  const withAt = (at: number, letters: string) => whole.sealed.slice(0, at) + letters + whole.sealed.slice(at + letters.length)
  const texts = [0, 65_535, 299_996].flatMap((at) => ['=', '==', ' ', '-', '_', '\u00e9'].map((letters) => withAt(at, letters)))
  for (const sealed of [...texts, `${whole.sealed}A`, `${whole.sealed}AA=`, '====', '-_-_', 'A'])
    expect(await alice.tries(devicesApi.saveBook, { ...whole, sealed }), sealed.slice(-8)).toBeRefused(400, 'invalid_input')
  expect((await alice.does(devicesApi.book, {})).version).toBe(0)
  for (const [at, padded] of [withAt(299_998, '=='), withAt(299_999, '=')].entries()) {
    const book = signedBook(alice.identity, alice.deviceId, { version: at + 1, sealed: padded })
    await alice.does(devicesApi.saveBook, book)
    expect((await alice.does(devicesApi.book, {})).sealed === padded).toBe(true)
  }
})

test('An address book of before signatures is handed out as it is, until a browser has signed the next', async () => {
  const alice = await world.person('alice')
  const sealed = signedBook(alice.identity, alice.deviceId, { version: 1 }).sealed
  await world.sql('insert into books (user_id, version, history_key_id, sealed) values ($1, 4, 1, $2)', [alice.id, sealed])
  expect(await alice.does(devicesApi.book, {})).toEqual({
    ...{ version: 4, historyKeyId: 1, sealed, deviceId: null, signature: null, others: [] },
  })
  await alice.does(devicesApi.saveBook, signedBook(alice.identity, alice.deviceId, { version: 5 }))
  expect(await alice.does(devicesApi.book, {})).toMatchObject({ version: 5, others: [{ writer: 'unsigned', version: 4 }] })
})

test('The book of an account with 5,000 contacts is kept. A larger one leaves no room to change the keys: refused, but one of before may shrink', async () => {
  const alice = await world.person('alice')
  const book = (version: number, bytes: number) =>
    signedBook(alice.identity, alice.deviceId, { version, sealed: Buffer.alloc(bytes, 7).toString('base64') })
  const { bookSavedBytes, bookBytes } = LIMITS
  const large = book(1, bookSavedBytes)
  await alice.does(devicesApi.saveBook, large)
  expect((await alice.does(devicesApi.book, {})).sealed).toHaveLength(large.sealed.length)
  expect(await alice.tries(devicesApi.saveBook, book(2, bookSavedBytes + 3))).toBeRefused(413, 'book_full')
  expect(await alice.tries(devicesApi.saveBook, book(2, bookBytes + 3))).toBeRefused(400, 'invalid_input')
  // As a server of before kept it.
  await world.sql('update books set sealed = $1 where user_id = $2', [book(1, bookBytes).sealed, alice.id])
  expect(await alice.tries(devicesApi.saveBook, book(2, bookBytes))).toBeRefused(413, 'book_full')
  await alice.does(devicesApi.saveBook, book(2, bookBytes - 3))
  // A change of keys has the rest.
  const stolen = await alice.addsBrowser()
  await alice.changesKeys({ removes: [stolen.deviceId] }, { sealed: book(3, bookBytes).sealed })
})
