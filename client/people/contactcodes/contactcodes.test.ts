import { beforeEach, expect, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { resetRooms } from '../../rooms/list/roomList.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import { peopleStore, resetPeople } from '../../rooms/trust/people.ts'
import { markVerified, shareMarks } from '../../rooms/trust/safety.ts'
import { headOf } from '../../testing/accounts.ts'
import { signPageIn, type TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { readContent, type Scan } from './codeContent.ts'
import { answerUse, confirmUse, generateCode, loadCode, loadUses, redeemScan, redeemToken } from './contactcodes.ts'
import { codeStore, resetCodes, type ShownUse, usesStore } from './store.ts'

let alice: TestPerson
let bob: TestPerson
let eve: TestPerson
let wire: Wire

beforeEach(async () => {
  ;({ alice, bob, eve, wire } = await people({ areStrangers: true }))
})

const keyOf = ({ userId }: TestPerson): string => {
  const account = wire.accounts.get(userId)
  return account ? headOf(account.keys.manifest).identityKey : ''
}

const me = ({ userId, username }: TestPerson) => ({ id: userId, username, displayName: username })

/** Makes this person's screen the page. */
async function on<T>(person: TestPerson, work: () => Promise<T>): Promise<T> {
  resetCodes()
  resetRooms()
  resetPeople()
  await signPageIn(person)
  return await work()
}

/** The text of a new code on this person's screen. */
const shows = (person: TestPerson): Promise<string> =>
  on(person, async () => {
    await generateCode(person.env, me(person))
    return codeStore.getState().code?.content ?? ''
  })

function scanned(text: string): Scan {
  const scan = readContent(text)
  if (typeof scan === 'string') throw new Error(`The code is ${scan}`)
  return scan
}

const scans = (person: TestPerson, text: string) => on(person, () => redeemScan(person.env, me(person), scanned(text)))

const usesOf = (person: TestPerson): Promise<ShownUse[]> =>
  on(person, async () => {
    await loadUses(person.env)
    return usesStore.getState().uses
  })

test('Bob scans the code of Alice: he has verified her, and she verifies him when she says that it is him', async () => {
  await scans(bob, await shows(alice))
  expect(await bob.verified()).toEqual([alice.userId])
  const [use] = await usesOf(alice)
  expect(use).toMatchObject({ userId: bob.userId, username: bob.username, proven: true })
  expect(await alice.verified()).toEqual([])
  if (use) await on(alice, () => confirmUse(alice.env, use))
  expect(await alice.verified()).toEqual([bob.userId])
  expect(alice.contact(bob).state).toBe('accepted')
  expect(await usesOf(alice)).toEqual([])
  // Both chats say when it was, and by what.
  for (const [one, other] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    const known = await one.core.safetyNumber({ userId: other.userId })
    expect(known).toMatchObject({ isVerified: true, isByCode: true, comparedAt: expect.any(String) })
  }
  // They compared the same keys.
  const numbers = await Promise.all([
    alice.core.safetyNumber({ userId: bob.userId }),
    bob.core.safetyNumber({ userId: alice.userId }),
  ])
  expect(numbers[0]?.digits).toBe(numbers[1]?.digits)
})

test('What was verified by a code and compared by the number later is said to be compared, in each browser', async () => {
  await syncBook(bob.env)
  await scans(bob, await shows(alice))
  const laptop = await bob.newComputer()
  await syncBook(laptop.env)
  const known = ({ core }: TestPerson) => core.safetyNumber({ userId: alice.userId })
  expect(await known(laptop)).toMatchObject({ isVerified: true, isByCode: true })
  const { identityKey } = await known(laptop)
  await on(laptop, async () => {
    for (const isVerified of [false, true]) await markVerified(laptop.env, alice.userId, identityKey, isVerified)
    await shareMarks(laptop.env)
  })
  await syncBook(bob.env)
  for (const each of [laptop, bob]) expect(await known(each)).toMatchObject({ isVerified: true, isByCode: false })
})

test('The code has the fields of the specification, and is the same in every browser of the account', async () => {
  const text = await shows(alice)
  expect(JSON.parse(text)).toMatchObject({
    ...{ type: 'contact_share', username: alice.username, displayName: expect.any(String), userId: alice.userId },
    ...{ token: expect.stringMatching(/^[\w-]{22}$/), secret: expect.stringMatching(/^[\w-]{22}$/) },
    onionAddress: expect.stringMatching(/^[a-z2-7]{56}\.onion$/),
  })
  const laptop = await alice.newComputer()
  await on(laptop, () => loadCode(laptop.env, me(laptop)))
  expect(codeStore.getState().code?.content).toBe(text)
})

test('A server that swaps the key of a scanned code is caught: nobody is added, and the reason is said', async () => {
  const text = await shows(alice)
  const identityKey = keyOf(eve)
  wire.lie = (caller, path, answer) => {
    if (caller !== bob.userId || path !== '/api/qr-code/add-contact') return answer
    const { contact, ...rest } = answer as { contact: { contactUser: object } }
    return { ...rest, contact: { ...contact, contactUser: { ...contact.contactUser, identityKey } } }
  }
  await expect(scans(bob, text)).rejects.toMatchObject({
    code: 'code_mismatch',
    message: expect.stringContaining('Nobody was added'),
  })
  expect(await bob.verified()).toEqual([])
  expect(peopleStore.getState().people.size).toBe(0)
  expect(wire.contacts.has(`${bob.userId} ${alice.userId}`)).toBe(false)
})

test('A server that answers with somebody else for a scanned code is caught', async () => {
  const text = await shows(alice)
  await on(bob, async () => bob.env.api(contactsApi.add, { username: eve.username }))
  wire.lie = (caller, path, answer) =>
    caller === bob.userId && path === '/api/qr-code/add-contact'
      ? { displayName: 'Alice', contact: wire.contact(bob.userId, eve.userId) }
      : answer
  await expect(scans(bob, text)).rejects.toMatchObject({ code: 'code_mismatch' })
  expect(await bob.verified()).toEqual([])
})

test('A code that is made for an account of Eve under the name of Alice does not replace the Alice that Bob knows', async () => {
  await scans(bob, await shows(alice))
  const text = JSON.parse(await shows(eve)) as object
  await expect(scans(bob, JSON.stringify({ ...text, username: alice.username }))).rejects.toMatchObject({ code: 'name_taken' })
  await expect(scans(bob, JSON.stringify({ ...text, userId: alice.userId }))).rejects.toMatchObject({ code: 'key_changed' })
  expect(await bob.verified()).toEqual([alice.userId])
})

test('A pasted token adds and verifies nobody, on neither side', async () => {
  const text = await shows(alice)
  // People also paste the whole text of a code. It came over a wire, so it proves as little as the token.
  await on(bob, () => redeemToken(bob.env, text))
  expect(await bob.verified()).toEqual([])
  const [use] = await usesOf(alice)
  expect(use?.proven).toBeNull()
  if (use) await expect(on(alice, () => confirmUse(alice.env, use))).rejects.toMatchObject({ code: 'code_mismatch' })
  expect(await alice.verified()).toEqual([])
  if (use) await on(alice, () => answerUse(alice.env, use))
  expect([await usesOf(alice), alice.contact(bob).state]).toEqual([[], 'pending'])
})

test('A server that shows Alice another key for the one who scanned is caught by the proof', async () => {
  await scans(bob, await shows(alice))
  const identityKey = keyOf(eve)
  wire.lie = (caller, path, answer) =>
    caller === alice.userId && path === '/api/qr-code/uses'
      ? (answer as object[]).map((use) => ({ ...use, identityKey }))
      : answer
  const [use] = await usesOf(alice)
  expect(use?.proven).toBe(false)
  if (use) await expect(on(alice, () => confirmUse(alice.env, use))).rejects.toMatchObject({ code: 'code_mismatch' })
  expect(await alice.verified()).toEqual([])
})

test('A proof for one code proves nothing for another, and Eve proves nothing with the proof of Bob', async () => {
  await scans(bob, await shows(alice))
  const [use] = await usesOf(alice)
  const shown = { qrToken: '', proof: '', userId: '', username: '', identityKey: '', ...use } as Parameters<
    typeof alice.core.isScanProven
  >[0]
  expect(await alice.core.isScanProven(shown)).toBe(true)
  const wrong = [
    { qrToken: 'A'.repeat(22) },
    { userId: eve.userId },
    { username: eve.username },
    { identityKey: keyOf(eve) },
    { proof: Buffer.alloc(32).toString('base64') },
  ]
  for (const change of wrong) expect(await alice.core.isScanProven({ ...shown, ...change })).toBe(false)
})

test('A code of something else, one cut short and one with a broken address are refused by name', () => {
  const onionAddress = 'a'.repeat(56)
  expect(readContent('https://example.org')).toBe('unreadable')
  expect(readContent('')).toBe('unreadable')
  for (const json of [{}, [], 'contact_share', { type: 'contact_share' }, { type: 'other', token: 'x' }])
    expect(readContent(JSON.stringify(json))).toBe('other')
  // The two fields that the specification asks for are a token, and no more.
  expect(readContent(JSON.stringify({ type: 'contact_share', token: 'x' }))).toEqual({
    qrToken: 'x',
    displayName: null,
    code: null,
  })
  const partly = {
    type: 'contact_share',
    token: 'x',
    onionAddress,
    userId: alice.userId,
    username: 'alice',
    secret: 'A'.repeat(22),
  }
  expect(readContent(JSON.stringify(partly))).toBe('other')
  expect(readContent(JSON.stringify({ ...partly, onionAddress: undefined }))).toBe('other')
})
