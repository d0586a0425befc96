import { beforeEach, expect, test } from 'vitest'
import { accountApi, type User } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { openBrowser } from '../../testing/browser.ts'
import { newPerson, signPageIn } from '../../testing/people.ts'
import { createWire } from '../../testing/wire.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { closeAccount, logout, SESSION_ENDED, sendPendingLogout, signedIn, start } from './account.ts'
import { accountStore } from './accountState.ts'
import { readEnded } from './storedUser.ts'

beforeEach(openBrowser)

/** Starts a page whose server returns this error. Returns the logged errors. */
async function startFails(error: Error): Promise<unknown[]> {
  const { env } = await newPerson(createWire())
  const logged: unknown[] = []
  const failing: Env = { ...env, api: () => Promise.reject(error) }
  await start(failing, (each) => logged.push(each))
  return logged
}

const noSession = new ApiError(401, 'not_signed_in', 'Not signed in')

function wasHere() {
  localStorage.setItem('user', '{"id":"1","username":"alice","displayName":"Alice"}')
  localStorage.setItem('theme', 'dark')
}

test('Who comes for the first time sees the sign-in, and nothing is logged: there is no failure', async () => {
  expect(await startFails(noSession)).toEqual([])
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', notice: null })
})

test.each([
  [noSession, SESSION_ENDED],
  [new ApiError(500, 'internal', 'Something went wrong on the server'), 'Something went wrong on the server'],
  [
    new CryptoFailure('vault_absent', 'This browser keeps no vault of this account'),
    'This browser’s keys are gone. Sign in again to add it to your account.',
  ],
  // A wrong unlock secret from the server raises an alarm; the page must not say that the keys are gone.
  [new CryptoFailure('vault_shut', 'The server returned another secret'), 'The server returned another secret'],
  [new CryptoFailure('vault_newer', 'Updated in another tab. Reload.'), 'Updated in another tab. Reload.'],
  [new CryptoFailure('vault_row', 'This page cannot read it'), 'This page cannot read it'],
])(
  'A start that fails with "%s" is logged, clears the stored user, and shows the sign-in with the reason',
  async (error, notice) => {
    wasHere()
    expect(await startFails(error)).toEqual([error])
    expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', user: null, notice })
    expect({ ...localStorage }).toEqual({ theme: 'dark' })
  },
)

test.each([
  new ApiError(0, 'offline', 'The server cannot be reached'),
  new ApiError(0, 'no_answer', 'The server does not answer. Please try again'),
  new ApiError(502, 'internal', 'Bad Gateway'),
])('Where nobody answers ("%s"), the browser still knows who was here and waits: the person is not signed out', async (away) => {
  wasHere()
  expect(await startFails(away)).toEqual([])
  expect(accountStore.getState()).toMatchObject({ phase: 'away', user: null, notice: null })
  expect(localStorage.getItem('user')).toContain('alice')
  await startFails(noSession)
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', notice: SESSION_ENDED })
})

test('A server that is away is logged for a first visitor too', async () => {
  const away = new ApiError(0, 'offline', 'The server cannot be reached')
  expect(await startFails(away)).toEqual([away])
})

const ODD = ['null', '0', '[]', '""', '{}', '{"id":1,"username":null}', '{', 'not JSON', '']

test.each(ODD)(
  'Something else wrote "%s" where the page notes who was here: the page starts, as for a first visitor',
  async (odd) => {
    localStorage.setItem('user', odd)
    expect(await startFails(noSession)).toEqual([])
    expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', notice: null })
  },
)

test.each(ODD)(
  'Something else wrote "%s" where the page notes a logout: the server is told of it, and keeps the keys',
  async (odd) => {
    localStorage.setItem('logout-owed', odd)
    const sent: unknown[] = []
    const api = async (_: unknown, input: unknown) => void sent.push(input)
    await sendPendingLogout({ api } as never)
    expect(sent).toEqual([{ removeKeys: false }])
    expect(localStorage.getItem('logout-owed')).toBeNull()
  },
)

test('A tab that was signed out says why after each reload, until somebody signs in; a first visitor is told nothing', async () => {
  wasHere()
  await startFails(noSession)
  for (let reload = 0; reload < 2; reload++) {
    await startFails(noSession)
    expect(accountStore.getState().notice).toBe(SESSION_ENDED)
  }
  // A server that is away is said, and is no reason of that end.
  await startFails(new ApiError(0, 'offline', 'The server cannot be reached'))
  expect(accountStore.getState().notice).toBe('The server cannot be reached')
  await startFails(noSession)
  expect(accountStore.getState().notice).toBe(SESSION_ENDED)
  await closeAccount({ socket: { close: () => undefined }, crypto: { close: async () => undefined } } as never, 'Removed.')
  await startFails(noSession)
  expect(accountStore.getState().notice).toBe('Removed.')
  signedIn({ id: 'a1', username: 'alice', displayName: 'Alice' } as User)
  expect(readEnded()).toBeUndefined()
})

test('A visitor whose first question failed is no returning person', async () => {
  await startFails(new ApiError(0, 'offline', 'The server cannot be reached'))
  expect(readEnded()).toBeUndefined()
})

/** Alice’s browser, whose session has fallen asleep, and what the server hears at her logout. */
async function asleep() {
  const wire = createWire()
  const alice = await newPerson(wire)
  await signPageIn(alice)
  await alice.env.api(sessionsApi.sleep, {})
  const heard: unknown[] = []
  const { api } = alice.env
  alice.env.api = (async (endpoint: unknown, input: object) => {
    if (endpoint === accountApi.logout)
      heard.push({ ...input, isAsleep: wire.accounts.get(alice.userId)?.asleep?.has(alice.deviceId) })
    return await api(endpoint as never, input as never)
  }) as typeof api
  const opens = () => alice.core.open({ userId: alice.userId, username: alice.username, unlock: alice.unlock })
  return { ...alice, wire, heard, opens }
}

test('Who removes the keys of a browser that has slept for a day has them removed at the server too', async () => {
  const { env, heard, opens } = await asleep()
  expect(await logout(env, { removeKeys: true })).toEqual({ reached: true })
  expect(heard).toEqual([{ removeKeys: true, isAsleep: false }])
  await expect(opens()).rejects.toMatchObject({ code: 'vault_absent' })
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', notice: null })
})

test.each([
  ['without a connection', (): boolean => true, false],
  ['when the server takes no signature', (path: string): boolean => path === devicesApi.prove.path, true],
])('Who removes the keys %s is told that the server may keep its part; here they are gone', async (_when, fails, reached) => {
  const { env, wire, opens } = await asleep()
  wire.beforeEffect = (_, path) => {
    if (fails(path)) throw new ApiError(0, 'offline', 'The server cannot be reached')
  }
  expect(await logout(env, { removeKeys: true })).toEqual({ reached })
  await expect(opens()).rejects.toMatchObject({ code: 'vault_absent' })
  expect(accountStore.getState().notice).toContain('the server may keep its part of them')
})

test('Who keeps the keys is asked for no signature', async () => {
  const { env, heard } = await asleep()
  await logout(env, { removeKeys: false })
  expect(heard).toEqual([{ removeKeys: false, isAsleep: true }])
  expect(accountStore.getState().notice).toBeNull()
})
