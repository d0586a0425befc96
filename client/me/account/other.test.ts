import { IDBFactory } from 'fake-indexeddb'
import { beforeEach, expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import type { Env } from '../../env.ts'
import { openBrowser } from '../../testing/browser.ts'
import { at, newPerson, passwordOf, type TestPerson } from '../../testing/people.ts'
import { createWire, type Wire } from '../../testing/wire.ts'
import { createCore } from '../../worker/core.ts'
import { enrolThisBrowser, signIn, signUp } from '../signin/signin.ts'
import { OTHER_ACCOUNT, refreshUser, start } from './account.ts'
import { accountStore } from './accountState.ts'
import { ownName } from './keys.ts'

beforeEach(openBrowser)

let wire: Wire
let alice: TestPerson
let bob: TestPerson
/** Bob's page in the browser that stores Alice's vault. */
let page: Env

beforeEach(async () => {
  accountStore.setState({ phase: 'signed_out', user: null, notice: null })
  wire = createWire()
  bob = await newPerson(wire)
  globalThis.indexedDB = new IDBFactory()
  alice = await newPerson(wire)
  await alice.keeps(bob, 'not sent yet')
  await alice.core.close()
  page = { ...bob.env, api: wire.api(bob.userId, () => '0'.repeat(32)), crypto: createCore(() => 'https://conclave.example') }
})

/** Eve's server returns Alice's account for `GET /api/user`. */
function namesAlice(changed: { id?: string; username?: string } = { id: alice.userId, username: alice.username }) {
  wire.lie = (_, path, answer) => (path === '/api/user' ? { ...(answer as object), ...changed } : undefined)
}

async function aliceIsUnharmed() {
  wire.lie = undefined
  const tab = await alice.newTab()
  expect((await tab.core.outbox(tab.room(bob).id)).map(({ content }) => content)).toEqual([
    { type: 'text', text: 'not sent yet' },
  ])
}

const signsIn = () => signIn(page, { username: bob.username, password: passwordOf(bob.username) })

test("The server names Alice while Bob's browser is added: her keys and what she did not send yet stay", async () => {
  expect(await signsIn()).toMatchObject({ step: 'confirm_devices' })
  namesAlice()
  await expect(enrolThisBrowser(page)).rejects.toMatchObject({ code: 'other_account' })
  await aliceIsUnharmed()
  // After a correct response the same browser continues.
  await enrolThisBrowser(page)
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_in', user: { id: bob.userId } })
  await aliceIsUnharmed()
})

test.each(['the id alone', 'id and name'])(
  'The server already lies when Bob signs in, about %s: it comes to nothing',
  async (what) => {
    const id = alice.userId
    wire.lie = (_, path, answer) => {
      if (path !== '/api/login' && path !== '/api/user') return undefined
      return { ...(answer as object), id, ...(what !== 'the id alone' && { username: alice.username }) }
    }
    const enters = signsIn().then(() => enrolThisBrowser(page))
    await expect(enters).rejects.toMatchObject({ code: 'other_account' })
    await aliceIsUnharmed()
  },
)

test('Somebody who signs up is named as Alice: her keys stay', async () => {
  const username = 'a_newcomer'
  page.api = wire.api(crypto.randomUUID(), () => '0'.repeat(32))
  wire.lie = (_, path, answer) => (path === '/api/register' ? { ...(answer as object), id: alice.userId } : undefined)
  const form = { username, displayName: 'New', password: 'a password of hers', confirmPassword: 'a password of hers' }
  await expect(signUp(page, form)).rejects.toMatchObject({ code: 'other_account' })
  await aliceIsUnharmed()
})

test.each([
  ['another id', () => ({ id: alice.userId })],
  ['another username', () => ({ username: alice.username })],
])('An open page that is answered with %s says so and stops, and types no password for that name', async (_, changed) => {
  const open = await at(bob.computer, () => bob.newTab())
  const user = await open.env.api(accountApi.user, {})
  accountStore.setState({ phase: 'signed_in', user, notice: null })
  await refreshUser(open.env)
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_in', user: { id: bob.userId } })
  namesAlice(changed())
  await refreshUser(open.env)
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', user: null, notice: OTHER_ACCOUNT })
  expect(() => ownName()).toThrow()
  await expect(open.core.ownDevices()).rejects.toMatchObject({ code: 'closed' })
  await aliceIsUnharmed()
})

test.each([{ id: 'alice' }, { username: 'alice' }])(
  'A page that starts and is answered as another account opens nothing',
  async (which) => {
    localStorage.setItem('user', JSON.stringify({ id: bob.userId, username: bob.username, displayName: 'Bob' }))
    namesAlice('id' in which ? { id: alice.userId } : { username: alice.username })
    const logged: unknown[] = []
    await at(bob.computer, () => start({ ...page, api: wire.api(bob.userId, () => bob.deviceId) }, (error) => logged.push(error)))
    expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', notice: OTHER_ACCOUNT })
    expect(logged).toMatchObject([{ code: 'other_account' }])
    await aliceIsUnharmed()
  },
)
