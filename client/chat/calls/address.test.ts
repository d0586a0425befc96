import { beforeEach, expect, test } from 'vitest'
import { ApiError } from '../../net/api.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import { refreshOwnDevices } from '../../rooms/trust/ownDevices.ts'
import type { TestPerson } from '../../testing/people.ts'
import { changesKeys, people } from '../../testing/room.ts'
import { writesBook } from '../../testing/stolenBook.ts'
import { hidesAddress, setHidesAddress } from './address.ts'

let wire: Awaited<ReturnType<typeof people>>['wire']
let laptop: TestPerson
let phone: TestPerson
let bob: TestPerson

beforeEach(async () => {
  const at = await people()
  ;({ wire, alice: laptop, bob } = at)
  await laptop.says(bob, 'one')
  phone = await laptop.newComputer()
  await refreshOwnDevices(laptop.env)
  await syncBook(laptop.env)
  await syncBook(phone.env)
})

const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })
const hides = (one: TestPerson) => Promise.all([hidesAddress(one.env, true), hidesAddress(one.env, false)])

test('By default calls hide the address as the server says; a choice holds in all browsers, and the server has no word of it', async () => {
  expect(await hides(laptop)).toEqual([true, false])
  await setHidesAddress(laptop.env, false)
  expect(await hides(laptop)).toEqual([false, false])
  await syncBook(phone.env)
  expect(await hides(phone)).toEqual([false, false])
  await setHidesAddress(phone.env, true)
  await syncBook(laptop.env)
  expect(await hides(laptop)).toEqual([true, true])
  await setHidesAddress(laptop.env, null)
  await syncBook(phone.env)
  expect(await hides(phone)).toEqual([true, false])
  expect(JSON.stringify([...wire.accounts])).not.toMatch(/address|hidden/i)
})

test('A choice made while the server is away is kept, and saved when it is back', async () => {
  wire.lie = () => {
    throw new ApiError(0, 'offline', 'The server cannot be reached')
  }
  await setHidesAddress(laptop.env, true)
  expect(await hides(laptop)).toEqual([true, true])
  wire.lie = undefined
  await syncBook(laptop.env)
  await syncBook(phone.env)
  expect(await hides(phone)).toEqual([true, true])
})

test.each([
  ['laptop', 'phone'],
  ['phone', 'laptop'],
])('Of two browsers that chose at the same time the one that hides holds in both: %s saves before %s', async (first) => {
  await laptop.core.setHideAddress(true)
  await phone.core.setHideAddress(false)
  const order = first === 'laptop' ? [laptop, phone] : [phone, laptop]
  for (const one of [...order, ...order]) await syncBook(one.env)
  expect([await hides(laptop), await hides(phone)]).toEqual([
    [true, true],
    [true, true],
  ])
})

test('A stolen browser counts no choice so far ahead that the owner never catches up, and that is said', async () => {
  await setHidesAddress(laptop.env, true)
  await writesBook(wire, phone, bob, (book) => ({ ...book, addressChoice: { choice: 'shown', n: 2_000_000 } }))
  await expect(syncBook(laptop.env)).rejects.toThrow(failure('book_ahead'))
  expect(await hides(laptop)).toEqual([true, true])
})

test('What a stolen browser lets be seen is taken back when it is removed as stolen; what this one chose itself stays', async () => {
  await setHidesAddress(phone.env, false)
  await syncBook(laptop.env)
  expect(await hides(laptop)).toEqual([false, false])
  await changesKeys(laptop, { removeDevices: [phone.deviceId], areStolen: true })
  expect(await hides(laptop)).toEqual([true, false])

  const tablet = await laptop.newComputer()
  await refreshOwnDevices(laptop.env)
  await setHidesAddress(laptop.env, false)
  await changesKeys(laptop, { removeDevices: [tablet.deviceId], areStolen: true })
  expect(await hides(laptop)).toEqual([false, false])
})

test('A build that does not know the choice passes it on whole, and a choice that only a newer build knows hides', async () => {
  await setHidesAddress(laptop.env, true)
  await writesBook(wire, phone, bob, (book) => ({ ...book, addressChoice: { choice: 'by tor', n: 7, since: 'tomorrow' } }))
  await syncBook(laptop.env)
  expect(await hides(laptop)).toEqual([true, true])
  await setHidesAddress(laptop.env, false)
  await writesBook(wire, laptop, bob, (book) => {
    expect(book.addressChoice).toEqual({ choice: 'shown', n: 8, since: 'tomorrow' })
    return book
  })
})
