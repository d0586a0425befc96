import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { RefusedCall } from '../../testing/browser.ts'
import { creation } from '../../testing/group.ts'
import { type Changes, changed, signedChange } from '../../testing/keys.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ hasLimits: true })

test('a new history key, without any removal: every room of the account waits until a commit leaves the old key behind', async () => {
  const [alice, bob] = await Promise.all([world.person('alice'), world.person('bob')])
  const chatRoomId = await alice.talksTo(bob)
  await alice.does(roomsApi.commit, creation(chatRoomId))
  const isWaiting = async () =>
    (await world.sql('select needs_commit as waits from chat_rooms where id = $1', [chatRoomId]))[0]?.['waits']
  await bob.changesKeys({ adds: ['passkey'] })
  expect(await isWaiting()).toBe(false)
  await bob.changesKeys({ keepsHistory: false })
  expect(await isWaiting()).toBe(true)
})

/** The change of keys as a page makes it that keeps the old history key, whatever the change is. */
function keepsHistoryKey({ identity }: Person, changes: Changes) {
  const { historyKeyId, historyKey } = identity.manifest
  const next = changed(identity, changes)
  return signedChange(identity, { ...next, manifest: { ...next.manifest, historyKeyId, historyKey } })
}

test('Eve holds an old password, an old kit or a removed browser: no page shuts her out without a new history key, which she lacks', async () => {
  const alice = await world.person('alice')
  await alice.changesKeys({ adds: ['kit', 'passkey'] }, { kitSecret: newAuthSecret() })
  const laptop = await alice.addsBrowser()
  const changes: [string, Changes, { kitSecret?: string | null }?][] = [
    ['a removed browser', { removes: [laptop.deviceId] }],
    ['a removed kit', { drops: ['kit'] }, { kitSecret: null }],
    ['a new kit', { adds: ['kit'] }, { kitSecret: newAuthSecret() }],
    ['a removed passkey', { drops: ['passkey'] }],
    ['a password that opens no keys any more', { drops: ['password'] }],
    ['history switched off', { keepsHistory: false }],
  ]
  for (const [what, wish, more = {}] of changes) {
    expect((await alice.tries(devicesApi.changeKeys, { ...keepsHistoryKey(alice, wish), ...more })).code, what).toBe(
      'history_key_required',
    )
  }
  const keys = keepsHistoryKey(alice, { adds: ['password'] })
  const newPassword = newAuthSecret()
  const form = { currentPassword: alice.authSecret, newPassword, confirmNewPassword: newPassword, kdf: 1 }
  expect(await alice.tries(accountApi.changePassword, { ...form, keys })).toBeRefused(409, 'history_key_required')
  // Nothing has changed, and each of them works with a new key.
  expect(await alice.does(devicesApi.keys, {})).toMatchObject({
    manifest: { content: JSON.stringify(alice.identity.manifest) },
    historySeals: [],
  })
  for (const [, wish, more] of changes) await alice.changesKeys(wish, more)
})

test('Adding a browser, a passkey or a kit makes no new history key, and needs none', async () => {
  const alice = await world.person('alice')
  await alice.addsBrowser()
  await alice.changesKeys({ adds: ['passkey'] })
  await alice.changesKeys({ adds: ['kit'] }, { kitSecret: newAuthSecret() })
  expect(alice.identity.manifest.historyKeyId).toBe(1)
})

test('A device list of an older build, which says nothing of history, keeps it and needs no new history key', async () => {
  const alice = await world.person('alice')
  const { keepsHistory: _, ...older } = alice.identity.manifest
  await world.sql('update manifests set content = $2 where user_id = $1', [alice.id, JSON.stringify(older)])
  const keys = keepsHistoryKey(alice, { adds: ['passkey'] })
  expect(await alice.does(devicesApi.changeKeys, keys)).toEqual({ version: 2 })
})

test('Eve has opened the keys and makes one history key after another: after a day full of them she is told the seconds', async () => {
  const eve = await world.person('eve')
  const { points } = RATES.historyKeys
  for (let made = 0; made < points; made++) await eve.changesKeys({ keepsHistory: made % 2 === 1 })
  const refused = await eve.changesKeys({ keepsHistory: false }).catch((error: unknown) => error)
  if (!(refused instanceof RefusedCall)) throw new Error('It was taken')
  expect(refused.answer).toBeRefused(429, 'too_many_requests')
  // Changes without a new history key still work.
  await eve.changesKeys({ adds: ['passkey'] })
  world.passes(24 * 60 * 60)
  await eve.elsewhere()
})
