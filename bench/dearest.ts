import { randomUUID } from 'node:crypto'
import { accountApi } from '../contract/account/account.ts'
import { devicesApi } from '../contract/account/devices.ts'
import { sessionsApi } from '../contract/account/sessions.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import {
  type Changes,
  changed,
  newDeviceId,
  newIdentity,
  recovered,
  renewalOf,
  signedBook,
  signedChange,
  signedKeys,
  withDevice,
} from '../server/testing/keys.ts'
import { newAuthSecret, type Person } from '../server/testing/person.ts'
import { ADMIN, FAMILY } from './dearest-admin.ts'
import { ARCHIVE } from './dearest-archive.ts'
import { COINS } from './dearest-coins.ts'
import { CONTACTS } from './dearest-contacts.ts'
import { FILES } from './dearest-files.ts'
import { NEWS } from './dearest-news.ts'
import { PASSKEYS } from './dearest-passkeys.ts'
import { ROOMS } from './dearest-rooms.ts'
import { alice, base64, by, greatest, type Request, type Scene, stranger } from './scene.ts'

const PACKAGE_BYTES = 8 * 1024
let switches = 0
const longName = 'x'.repeat(LIMITS.usernameMax)

/** As many and as long packages as one request may bring, less what the body has no room for. */
const packages = (oneTime: number) => ({
  oneTime: Array.from({ length: oneTime }, () => base64(PACKAGE_BYTES)),
  lastResort: base64(PACKAGE_BYTES),
})

/** Keys of a new account or device. */
const greatKeys = (identity: Person['identity'], deviceId: string) => ({
  ...signedKeys(identity, deviceId),
  keyPackages: packages(40),
})

/** The longest with a change of keys. */
const longBook = (identity: Person['identity'], deviceId: string, version: number, bytes: number = LIMITS.bookBytes) =>
  signedBook(identity, deviceId, { version, historyKeyId: identity.manifest.historyKeyId, sealed: base64(bytes) })

/** The longest that is saved alone. */
const savedBook = ({ identity, deviceId }: Person, version: number) =>
  longBook(identity, deviceId, version, LIMITS.bookSavedBytes)

/** A change of keys with everything that can come along; Alice's documents are then those. */
async function change({ alice, bookVersionOf }: Scene, changes: Changes) {
  const version = await bookVersionOf(alice)
  const { keyring, manifest } = changed(alice.identity, changes)
  const next = greatest({ ...alice.identity, keyring, manifest })
  const { historySeals, ...rest } = signedChange(alice.identity, next, { bookVersion: version })
  alice.identity = next
  return {
    ...rest,
    historySeals: historySeals.map((seal) => ({ ...seal, sealed: base64(2048) })),
    ...(rest.book && { book: longBook(next, alice.deviceId, version + 1) }),
  }
}
const otherHistory = ({ alice }: Scene): Changes => ({ keepsHistory: !alice.identity.manifest.keepsHistory })

async function bareAccount({ stranger }: Scene) {
  const [browser, password] = [stranger(), newAuthSecret()]
  const form = { username: `bare_${randomUUID().slice(0, 8)}`, displayName: 'Bare', password, confirmPassword: password }
  await browser.does(accountApi.register, { ...form, kdf: 1 })
  return { browser, password }
}

/** Somebody with the longest documents, who adds one more browser. */
async function enrolling({ newcomer, grow }: Scene) {
  const person = await newcomer()
  await grow(person)
  const deviceId = newDeviceId()
  const who = await person.elsewhere()
  const keys = greatKeys(withDevice(person.identity, deviceId), deviceId)
  return { who, input: { ...keys, proof: await who.proofBy(deviceId) } }
}

/** Somebody with a recovery kit, who uses it. */
async function recovering({ newcomer, grow, bookVersionOf }: Scene) {
  const person = await newcomer()
  await grow(person)
  const [kitSecret, password, deviceId] = [newAuthSecret(), newAuthSecret(), newDeviceId()]
  await person.changesKeys({ adds: ['kit'] }, { kitSecret })
  const version = await bookVersionOf(person)
  const next = greatest(recovered(person.identity, deviceId, true))
  const { historySeals } = renewalOf(person.identity, next, deviceId, version)
  const renewal = {
    historySeals: historySeals.map((seal) => ({ ...seal, sealed: base64(2048) })),
    book: longBook(next, deviceId, version + 1),
  }
  const who = await person.elsewhere()
  const proof = await who.proofBy(deviceId)
  const keys = greatKeys(next, deviceId)
  return { who, input: { kitSecret, password, kdf: 1, keys, ...renewal, newKitSecret: newAuthSecret(), proof } }
}

/** Somebody with a recovery kit and the longest book. */
async function readingByKit({ newcomer }: Scene) {
  const [person, kitSecret] = [await newcomer(), newAuthSecret()]
  await person.changesKeys({ adds: ['kit'] }, { kitSecret })
  await person.does(devicesApi.saveBook, savedBook(person, 1))
  return { who: await person.elsewhere(), input: { kitSecret } }
}

/**
 * Of each call what costs the server most, by what the table says of it: the longest fields, the most members, the fullest account.
 * A call with several kinds of dear input has several. Schema and limits let each in; the answer may still be a refusal.
 */
export const DEAREST: Record<string, Record<string, Request>> = {
  'POST /api/login/salt': { 'a name that nobody has': by(stranger, () => ({ username: longName })) },
  'POST /api/register': {
    'the longest documents and key packages': async ({ stranger }) => {
      const [password, deviceId] = [newAuthSecret(), newDeviceId()]
      const form = { username: `great_${randomUUID().slice(0, 8)}`, displayName: 'x'.repeat(LIMITS.displayNameMax), password }
      const keys = greatKeys(greatest(newIdentity(deviceId)), deviceId)
      return { who: stranger(), input: { ...form, confirmPassword: password, kdf: 1, keys } }
    },
  },
  'POST /api/login': {
    'by a device': by(stranger, ({ alice }) => ({
      ...{ username: alice.username, password: alice.authSecret, kdf: 1, deviceId: alice.deviceId },
    })),
  },
  'POST /api/logout': {
    'with removal of the keys': async ({ newcomer }) => ({ who: await newcomer(), input: { removeKeys: true } }),
  },
  'POST /api/login/kit': {
    'a right kit': async ({ newcomer, stranger }) => {
      const [person, kitSecret] = [await newcomer(), newAuthSecret()]
      await person.changesKeys({ adds: ['kit'] }, { kitSecret })
      return { who: stranger(), input: { username: person.username, kitSecret } }
    },
  },
  'POST /api/account/recover': { 'the longest documents, seals, book and key packages': recovering },
  'POST /api/account/recover/book': { 'the longest book': readingByKit },
  'PUT /api/change-password': {
    'the longest documents, seals and book': async (scene) => {
      const [currentPassword, newPassword] = [scene.alice.authSecret, newAuthSecret()]
      const keys = await change(scene, { ...otherHistory(scene), adds: ['password'] })
      scene.alice.authSecret = newPassword
      return { who: scene.alice, input: { currentPassword, newPassword, confirmNewPassword: newPassword, kdf: 1, keys } }
    },
  },
  'POST /api/account/delete': {
    'somebody new': async ({ newcomer }) => {
      const person = await newcomer()
      return { who: person, input: { password: person.authSecret, kdf: 1 } }
    },
  },
  'PUT /api/privacy': { 'a switch': by(alice, () => ({ presence: ++switches % 2 === 0 })) },
  'PUT /api/profile': { 'a new name': by(alice, () => ({ displayName: randomUUID() })) },
  'GET /api/user': { 'the fullest account': by(alice) },
  'GET /api/username-available': { 'a name that is free': by(stranger, () => ({ username: longName })) },
  'POST /api/account/keys': {
    'the longest documents and key packages': async (scene) => {
      const { browser, password: currentPassword } = await bareAccount(scene)
      const deviceId = newDeviceId()
      const keys = greatKeys(greatest(newIdentity(deviceId)), deviceId)
      return { who: browser, input: { currentPassword, password: newAuthSecret(), kdf: 1, keys } }
    },
  },
  ...ADMIN,
  ...FAMILY,
  ...CONTACTS,
  ...FILES,
  ...NEWS,
  ...COINS,
  ...PASSKEYS,
  'POST /api/devices': { 'the longest documents and key packages': enrolling },
  'GET /api/devices/unlock': { 'the fullest account': by(alice) },
  'GET /api/devices/challenge': { 'the fullest account': by(alice) },
  'POST /api/devices/proof': {
    'in the fullest account': async ({ alice }) => {
      const who = await alice.elsewhere()
      return { who, input: { deviceId: alice.deviceId, proof: await who.proofBy(alice.deviceId) } }
    },
  },
  'GET /api/devices/key-packages': { 'the fullest account': by(alice) },
  'POST /api/devices/key-packages': { 'as many as may be, of the longest': by(alice, () => packages(LIMITS.keyPackagesOneTime)) },
  'GET /api/account/keys': { 'the longest documents and every seal': by(alice) },
  'PUT /api/account/keys': {
    'the longest documents, seals and book': async (scene) => ({
      who: scene.alice,
      input: await change(scene, otherHistory(scene)),
    }),
  },
  'GET /api/devices': { 'as many as may be': by(alice) },
  'GET /api/sessions': { 'as many as may be': by(alice) },
  'DELETE /api/sessions/:sessionId': {
    'one of as many as may be': async ({ alice }) => {
      const { username, authSecret } = alice
      await (await alice.elsewhere()).does(accountApi.login, { username, password: authSecret, kdf: 1 })
      const other = (await alice.does(sessionsApi.list, {})).find(({ isCurrent }) => !isCurrent)
      return { who: alice, input: { sessionId: other?.id } }
    },
  },
  'DELETE /api/sessions': {
    'a fifth of what may be': async ({ newcomer }) => {
      const person = await newcomer()
      for (let count = 0; count < LIMITS.sessionsPerUser / 5; count++) await person.elsewhere()
      return { who: person, input: {} }
    },
  },
  'GET /api/sign-ins': { 'as many as may be': by(alice) },
  'POST /api/sessions/sleep': { 'none that a device has signed for': by(alice) },
  'POST /api/sign-ins/answer': {
    'as many as may be': by(alice, () => ({ ids: Array.from({ length: LIMITS.signInsPerUser }, () => randomUUID()) })),
  },
  'GET /api/users/:userId/manifest': { 'the longest': by(alice, ({ alice }) => ({ userId: alice.id })) },
  'GET /api/book': { 'the longest': by(alice) },
  'PUT /api/book': {
    'the longest': async ({ alice, bookVersionOf }) => {
      const version = await bookVersionOf(alice)
      return { who: alice, input: savedBook(alice, version + 1) }
    },
  },
  'GET /api/health': { 'nothing in it': by(stranger) },
  'GET /api/openapi.json': { 'nothing in it': by(stranger) },
  ...ARCHIVE,
  ...ROOMS,
}
