import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { codesApi } from '../../../contract/chat/contactcodes.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { PERIODS } from '../../../contract/ground/limits.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const DAY = 24 * 60 * 60
const LIFE = PERIODS.contactCodeMs / 1000

const pair = async (): Promise<[Person, Person]> => await Promise.all([world.person('alice'), world.person('bob')])

async function codeOf(owner: Person): Promise<string> {
  const { qrToken } = await owner.does(codesApi.generate, {})
  if (qrToken === null) throw new Error('There is no code')
  return qrToken
}

test('without a code there is none, and a new one lives six minutes by the time of the server', async () => {
  const [alice] = await pair()
  expect(await alice.does(codesApi.current, {})).toMatchObject({ qrToken: null, expiresAt: null, usageCount: 0, maxUsage: null })
  const code = await alice.does(codesApi.generate, {})
  expect(Date.parse(code.expiresAt ?? '') - Date.parse(code.serverTime)).toBe(PERIODS.contactCodeMs)
  // 128 random bits.
  expect(Buffer.from(code.qrToken ?? '', 'base64url')).toHaveLength(16)
  expect(await alice.does(codesApi.current, {})).toEqual({ ...code, serverTime: expect.any(String) })
})

test('Bob redeems the code of Alice: he has her as a contact, she has his request and is asked who scanned it', async () => {
  const [alice, bob] = await pair()
  const qrToken = await codeOf(alice)
  const hers = await alice.opensSocket()
  const proof = randomBytes(32).toString('base64')
  const { displayName, contact } = await bob.does(codesApi.redeem, { qrToken: ` ${qrToken}\n`, proof })
  expect([displayName, contact.contactUserId, contact.state]).toEqual([alice.username, alice.id, 'accepted'])
  await hers.hears('code')
  const [request] = await alice.contacts()
  expect(request).toMatchObject({ state: 'pending', contactUserId: bob.id })
  const [use] = await alice.does(codesApi.uses, {})
  expect(use).toMatchObject({ qrToken, proof, userId: bob.id, username: bob.username, contactId: request?.id })
  expect(await alice.does(codesApi.current, {})).toMatchObject({ usageCount: 1 })
  expect(await bob.does(codesApi.uses, {})).toEqual([])
  // Answered once, she is asked no more.
  const useId = use?.id ?? ''
  expect(await bob.tries(codesApi.answerUse, { useId })).toBeRefused(404, 'not_found')
  await alice.does(codesApi.answerUse, { useId })
  expect(await alice.does(codesApi.uses, {})).toEqual([])
  expect(await alice.tries(codesApi.answerUse, { useId })).toBeRefused(404, 'not_found')
  hers.hangsUp()
})

test('a code says why it does not work: unknown, replaced, expired, used up, or the own one', async () => {
  const [alice, bob] = await pair()
  const redeem = (qrToken: string) => bob.tries(codesApi.redeem, { qrToken })
  expect(await redeem(randomBytes(16).toString('base64url'))).toBeRefused(404, 'unknown_code')
  expect(await redeem('garbage \u0001')).toBeRefused(404, 'unknown_code')
  for (const qrToken of ['', '  ']) expect(await redeem(qrToken)).toBeRefused(400, 'invalid_input')
  const first = await codeOf(alice)
  const second = await codeOf(alice)
  expect(await redeem(first)).toBeRefused(410, 'code_replaced')
  expect(await alice.tries(codesApi.redeem, { qrToken: second })).toBeRefused(400, 'cannot_add_self')
  await world.sql('update contact_qr_codes set max_usage = 0 where qr_token = $1', [second])
  expect(await redeem(second)).toBeRefused(409, 'code_used_up')
  await world.sql('update contact_qr_codes set max_usage = 1 where qr_token = $1', [second])
  world.passes(LIFE - 1)
  await bob.does(codesApi.redeem, { qrToken: second })
  expect(await redeem(second)).toBeRefused(409, 'code_used_up')
  const third = await codeOf(alice)
  world.passes(LIFE)
  expect(await redeem(third)).toBeRefused(410, 'code_expired')
  expect(await alice.does(codesApi.current, {})).toMatchObject({ qrToken: null, expiresAt: null })
})

test('a refused code changes nothing: no contact, no request, no use', async () => {
  const [alice, bob] = await pair()
  const qrToken = await codeOf(alice)
  world.passes(LIFE)
  expect(await bob.tries(codesApi.redeem, { qrToken })).toBeRefused(410, 'code_expired')
  expect([await alice.contacts(), await bob.contacts(), await alice.does(codesApi.uses, {})]).toEqual([[], [], []])
})

test('a code for one person is redeemed by one of ten who try at once', async () => {
  const [alice] = await pair()
  const people = await Promise.all(Array.from({ length: 10 }, () => world.person('guest')))
  const qrToken = await codeOf(alice)
  await world.sql('update contact_qr_codes set max_usage = 1 where qr_token = $1', [qrToken])
  const answers = await Promise.all(people.map((person) => person.tries(codesApi.redeem, { qrToken })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  expect(await alice.contacts()).toHaveLength(1)
  expect(await alice.does(codesApi.uses, {})).toHaveLength(1)
})

test('ten new codes at once leave one that is valid', async () => {
  const [alice, bob] = await pair()
  const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(alice)))
  const { qrToken } = await alice.does(codesApi.current, {})
  for (const code of codes) {
    const answer = await bob.tries(codesApi.redeem, { qrToken: code })
    if (code === qrToken) expect(answer.status).toBe(200)
    else expect(answer).toBeRefused(410, 'code_replaced')
  }
})

test('a contact who scans the code proves who they are, and nobody is added twice', async () => {
  const [alice, bob] = await pair()
  await alice.talksTo(bob)
  const qrToken = await codeOf(alice)
  const proof = randomBytes(32).toString('base64')
  await bob.does(codesApi.redeem, { qrToken, proof })
  // The token that he pastes afterwards takes nothing from it.
  await bob.does(codesApi.redeem, { qrToken })
  expect(await alice.does(codesApi.uses, {})).toMatchObject([{ proof, userId: bob.id }])
  expect([await alice.contacts(), await bob.contacts()].map((rows) => rows.length)).toEqual([1, 1])
})

test('whom Alice has blocked learns nothing from redeeming her code, and she is not asked', async () => {
  const [alice, bob] = await pair()
  await alice.talksTo(bob)
  await world.sql('update contacts set is_blocked = true where user_id = $1', [alice.id])
  const qrToken = await codeOf(alice)
  const { contact } = await bob.does(codesApi.redeem, { qrToken, proof: randomBytes(32).toString('base64') })
  expect(contact).toMatchObject({ state: 'accepted', contactUserId: alice.id })
  expect(await alice.does(codesApi.uses, {})).toEqual([])
})

test('an account that is deleted leaves no code, and no use of the codes of others', async () => {
  const [alice, bob] = await pair()
  await bob.does(codesApi.redeem, { qrToken: await codeOf(alice) })
  await codeOf(bob)
  const traces = async (table: string, column: string) => await world.sql(`select 1 from ${table} where ${column} = $1`, [bob.id])
  await bob.does(accountApi.remove, { password: bob.authSecret, kdf: 1 })
  expect(await traces('contact_qr_codes', 'user_id')).toEqual([])
  expect(await traces('contact_code_uses', 'user_id')).toEqual([])
  expect(await alice.does(codesApi.uses, {})).toEqual([])
})

test('codes go a day after they have expired, and uses that nobody answers after 90 days', async () => {
  const [alice, bob] = await pair()
  const qrToken = await codeOf(alice)
  await bob.does(codesApi.redeem, { qrToken })
  const count = async (table: string) => (await world.sql(`select 1 from ${table} where qr_token = $1`, [qrToken])).length
  const after = async (days: number) => {
    world.passes(days * DAY)
    await world.jobs.runDue()
    return [await count('contact_qr_codes'), await count('contact_code_uses')]
  }
  expect(await after(0.9)).toEqual([1, 1])
  expect(await after(1.1)).toEqual([0, 1])
  expect(await after(89)).toEqual([0, 0])
})

test('the token of a code that has gone is unknown, as if it had never been', async () => {
  const [alice, bob] = await pair()
  const qrToken = await codeOf(alice)
  await world.sql('delete from contact_qr_codes where qr_token = $1', [qrToken])
  const { body } = await bob.tries(codesApi.redeem, { qrToken })
  expect(body).toEqual((await bob.tries(codesApi.redeem, { qrToken: 'A'.repeat(22) })).body)
  expect(await bob.does(contactsApi.list, {})).toEqual([])
})
