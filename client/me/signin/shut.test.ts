import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Env } from '../../env.ts'
import { checkBook, saveBook } from '../../rooms/trust/book.ts'
import { openBrowser } from '../../testing/browser.ts'
import { readDisk } from '../../testing/disk.ts'
import { openFixture } from '../../testing/fixtures/fixture.ts'
import { at, newPerson, passwordOf, signPageIn, type TestPerson } from '../../testing/people.ts'
import { accountIn } from '../../testing/state.ts'
import { createWire, type Wire } from '../../testing/wire.ts'
import { createCore } from '../../worker/core.ts'
import { start } from '../account/account.ts'
import { accountStore } from '../account/accountState.ts'
import { switchHistory } from '../account/keys.ts'
import { halfway } from './halfway.ts'
import { cancelSignIn, enrolThisBrowser, signIn } from './signin.ts'

beforeEach(openBrowser)

let wire: Wire
let laptop: TestPerson
let bob: TestPerson
/** The laptop's page after a reload. */
let page: Env

beforeEach(async () => {
  accountStore.setState({ phase: 'signed_out', user: null, notice: null })
  wire = createWire()
  bob = await newPerson(wire)
  laptop = await newPerson(wire)
  await laptop.says(bob, 'Hello')
  await laptop.keeps(bob, 'not sent yet')
  page = { ...laptop.env, crypto: createCore(() => 'https://conclave.example') }
})

const accountOf = ({ userId }: TestPerson) => accountIn(wire, userId)

const signsIn = () => signIn(page, { username: laptop.username, password: passwordOf(laptop.username) })

/** Eve's server returns another unlock secret than the one that seals the vault. */
function answersAnotherSecret() {
  const unlock = { deviceId: laptop.deviceId, unlockSecret: toBase64(randomBytes(32)), challenge: null }
  wire.lie = (_, path, answer) => {
    if (path === '/api/login') return { ...(answer as object), unlock }
    return path === '/api/devices/unlock' ? unlock : undefined
  }
}

/** Checks that the disk still contains all earlier rows of the laptop, byte for byte. */
async function keepsWhatItHad(before: Awaited<ReturnType<typeof readDisk>>) {
  const now = (await readDisk(laptop.computer)).flatMap(({ name, stores }) =>
    stores.map((store) => JSON.stringify([name, store])),
  )
  const was = before.filter(({ name }) => name.endsWith(laptop.userId))
  expect(was).toHaveLength(1)
  for (const { name, stores } of was) for (const store of stores) expect(now).toContain(JSON.stringify([name, store]))
}

test('The server returns another secret: the page says so at its start, and this browser keeps what it has', async () => {
  answersAnotherSecret()
  const before = await readDisk(laptop.computer)
  const logged: unknown[] = []
  await start(page, (error) => logged.push(error))
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', notice: expect.stringContaining('another secret') })
  expect(logged).toMatchObject([{ code: 'vault_shut' }])
  await keepsWhatItHad(before)
  wire.lie = undefined
  await start(page, () => undefined)
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_in' })
  expect(await page.crypto.outbox(laptop.room(bob).id)).toHaveLength(1)
})

test.each(['another secret', 'no secret'])(
  'Signing in where the server returns %s warns of it; a browser that is added anew puts the old keys aside, unsent messages and all',
  async (what) => {
    if (what === 'another secret') answersAnotherSecret()
    const before = await readDisk(laptop.computer)
    expect(await signsIn()).toMatchObject({ step: 'confirm_devices' })
    expect(halfway.entered).toMatchObject({ keepsShutVault: true })
    wire.lie = undefined
    await cancelSignIn(page)
    await keepsWhatItHad(before)
    await signsIn()
    await enrolThisBrowser(page)
    await keepsWhatItHad(before)
    const { deviceId = '' } = accountOf(laptop).unlock ?? {}
    expect(deviceId).not.toBe(laptop.deviceId)
    expect(await page.crypto.deviceHere(laptop.username)).toBe(deviceId)
    // Removing the keys of this browser also removes the keys put aside.
    await page.crypto.destroy(laptop.userId)
    expect((await readDisk(laptop.computer)).some(({ name }) => name.includes(laptop.userId))).toBe(false)
  },
)

test('While it withholds the secret, the server cannot hand out an older device list: this browser remembers the newest', async () => {
  const { keyring, manifest } = accountOf(laptop).keys
  await signPageIn(laptop)
  const older = { keyring, manifest, historySeals: [] }
  await switchHistory(laptop.env, { kind: 'password', password: passwordOf(laptop.username) }, false)
  await laptop.core.close()
  wire.lie = (_, path) => (path === '/api/account/keys' ? older : undefined)
  await expect(signsIn()).rejects.toMatchObject({ code: 'manifest_rollback' })
  wire.lie = undefined
  expect(await signsIn()).toMatchObject({ step: 'confirm_devices' })
})

test('Nor an older address book, nor another one of the same number', async () => {
  const { identityKey } = await laptop.core.safetyNumber({ userId: bob.userId })
  await saveBook(laptop.env)
  const first = structuredClone(accountOf(laptop).book)
  await laptop.core.setVerified({ userId: bob.userId, identityKey, isVerified: true })
  await saveBook(laptop.env)
  const { book } = accountOf(laptop)
  expect(book.version).toBe(first.version + 1)
  await laptop.core.close()
  await signsIn()
  await enrolThisBrowser(page)
  for (const forged of [first, { ...first, version: book.version }]) {
    wire.lie = (_, path) => (path === '/api/book' ? { ...forged, others: [] } : undefined)
    await expect(checkBook(page)).rejects.toMatchObject({ code: 'book_rollback' })
  }
  wire.lie = undefined
  await checkBook(page)
  expect(await page.crypto.safetyNumber({ userId: bob.userId })).toMatchObject({ isVerified: true })
})

test('The server names keys of another identity for this account: they are not taken', async () => {
  await laptop.core.close()
  const eve = createCore(() => 'https://conclave.example')
  const { salt } = await page.api(accountApi.salt, { username: laptop.username })
  await eve.stretch({ username: laptop.username, password: passwordOf(laptop.username), salt })
  const keys = await eve.draftAccount({ deviceName: { name: 'Eve', browser: '', system: '' }, username: laptop.username })
  Object.assign(accountOf(laptop), { keys })
  await signsIn()
  await expect(enrolThisBrowser(page)).rejects.toMatchObject({ code: 'identity' })
})

test('A vault of before has its marks once it was opened, and keeps them in the clear beside what they mark', async () => {
  const { phone, alice } = await openFixture('first')
  const marksOf = async () => {
    const disk = await readDisk(phone.computer)
    const meta = disk.find(({ name }) => name.endsWith(alice.userId))?.stores.find(({ name }) => name === 'meta')
    return meta?.rows.find(([key]) => key === 'marks')?.[1]
  }
  expect(await marksOf()).toMatchObject({
    userId: alice.userId,
    identityKey: expect.stringMatching(/=$/),
    manifest: { version: 4, hash: expect.any(String) },
    book: { version: expect.any(Number) },
  })
  await at(phone.computer, () => phone.core.close())
})
