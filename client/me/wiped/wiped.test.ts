import { forceCloseDatabase } from 'fake-indexeddb'
import { beforeEach, expect, test, vi } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import type { Env } from '../../env.ts'
import { draftsStore } from '../../rooms/list/drafts.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { checkBook, saveBook } from '../../rooms/trust/book.ts'
import { refreshOwnDevices } from '../../rooms/trust/ownDevices.ts'
import { openBrowser } from '../../testing/browser.ts'
import { at, newPerson, passwordOf, signPageIn, type TestPerson } from '../../testing/people.ts'
import { accountIn } from '../../testing/state.ts'
import { createWire, type Wire } from '../../testing/wire.ts'
import { createCore } from '../../worker/core.ts'
import { accountStore } from '../account/accountState.ts'
import { switchHistory } from '../account/keys.ts'
import { enrolThisBrowser, signIn } from '../signin/signin.ts'
import { WIPED, watchWiped } from './wiped.ts'

beforeEach(openBrowser)

let wire: Wire
let laptop: TestPerson
let bob: TestPerson
/** The laptop's page after the wipe. */
let page: Env

beforeEach(async () => {
  wire = createWire()
  bob = await newPerson(wire)
  laptop = await newPerson(wire)
  await laptop.says(bob, 'Hello')
  page = { ...laptop.env, crypto: createCore(() => 'https://conclave.example') }
})

type Disk = { _databases: Map<string, { connections: Parameters<typeof forceCloseDatabase>[0][] }> }

/** What a browser does at `Clear-Site-Data: "storage"`: it closes each database that is open, and deletes all. */
function wipe(computer: IDBFactory): void {
  const { _databases: databases } = computer as unknown as Disk
  for (const { connections } of databases.values()) for (const one of [...connections]) forceCloseDatabase(one)
  databases.clear()
}

const accountOf = ({ userId }: TestPerson) => accountIn(wire, userId)
const signsIn = () => signIn(page, { username: laptop.username, password: passwordOf(laptop.username) })

test('The server deletes all that a browser keeps: the older device list and address book are refused all the same, and the other browser is told', async () => {
  const phone = await laptop.newComputer()
  await saveBook(laptop.env)
  const { keyring, manifest } = accountOf(laptop).keys
  const first = structuredClone(accountOf(laptop).book)
  await signPageIn(laptop)
  await switchHistory(laptop.env, { kind: 'password', password: passwordOf(laptop.username) }, false)
  const isWiped = laptop.core.untilWiped(laptop.username)
  await laptop.core.ownDevices()
  wipe(laptop.computer)
  await isWiped

  wire.lie = (_, path) => (path === '/api/account/keys' ? { keyring, manifest, historySeals: [] } : undefined)
  await expect(signsIn()).rejects.toMatchObject({ code: 'manifest_rollback' })
  wire.lie = undefined
  expect(await signsIn()).toMatchObject({ step: 'confirm_devices' })
  await enrolThisBrowser(page)
  expect(accountOf(laptop).book.version).toBeGreaterThan(first.version)
  wire.lie = (_, path) => (path === '/api/book' ? { ...first, others: [] } : undefined)
  await expect(checkBook(page)).rejects.toMatchObject({ code: 'book_rollback' })
  wire.lie = undefined
  await at(phone.computer, () => refreshOwnDevices(phone.env))
  expect((await at(phone.computer, () => phone.core.newDevices())).map(({ wasWiped }) => wasWiped)).toEqual([true])
})

test('The page says that its data was deleted, and what was typed is back once the same person has signed in', async () => {
  const room = laptop.room(bob)
  const user = { id: laptop.userId, username: laptop.username, displayName: laptop.username } as User
  accountStore.setState({ phase: 'signed_in', user, notice: null })
  roomsStore.setState({ rooms: new Map([[room.id, room]]) })
  draftsStore.setState({
    drafts: new Map([
      [room.id, 'half a sentence'],
      ['locked', 'sealed words'],
    ]),
  })
  const onClosed = vi.fn()
  const watching = watchWiped(laptop.env, user, onClosed)
  await laptop.core.ownDevices()
  wipe(laptop.computer)
  await watching
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', notice: WIPED })
  expect(onClosed).toHaveBeenCalledTimes(1)

  await signsIn()
  await enrolThisBrowser(page)
  draftsStore.setState({ drafts: new Map() })
  void watchWiped(page, user, onClosed)
  await expect.poll(() => page.crypto.readDraft(room.id)).toBe('half a sentence')
  expect((await page.crypto.drafts()).map(({ text }) => text)).toEqual(['half a sentence'])
})
