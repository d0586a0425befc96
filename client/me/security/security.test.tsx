// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import { ApiError } from '../../net/api.ts'
import { refreshOwnDevices } from '../../rooms/trust/ownDevices.ts'
import { SEEN_AT } from '../../testing/accounts.ts'
import { stubCredentials } from '../../testing/credentials.ts'
import { at, newPerson, passwordOf, signPageIn, type TestPerson } from '../../testing/people.ts'
import { profileCopy } from '../../testing/profile.ts'
import { openScreen, show, toasts } from '../../testing/screen.tsx'
import { createWire, type Wire } from '../../testing/wire.ts'
import { accountStore } from '../account/accountState.ts'
import { addKit } from '../account/keys.ts'
import { addPasskey } from '../account/passkeyFactors.ts'
import { loadWays, waysStore } from '../account/ways.ts'
import { LockSettings } from '../browserlock/LockSettings.tsx'
import { resetDevices } from '../devices/deviceList.ts'
import { BiometricSettings } from '../passkeys/BiometricSettings.tsx'
import { PasskeySettings } from '../passkeys/PasskeySettings.tsx'
import { SessionsPage } from '../sessions/SessionsPage.tsx'
import { ChangePassword } from './ChangePassword.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { HistorySwitch } from './HistorySwitch.tsx'
import { KitSettings } from './KitSettings.tsx'
import { LostBook } from './LostBook.tsx'
import { OpeningMode } from './OpeningMode.tsx'

openScreen()

let wire: Wire
let alice: TestPerson
let user: User
let password: string

/** Alice at her browser, made once and as new for each test, because keys take their time. */
async function movesIn() {
  const first = createWire()
  const person = await newPerson(first)
  return { accounts: structuredClone([...first.accounts]), person, restore: await profileCopy(person.userId) }
}
let home: ReturnType<typeof movesIn> | undefined

beforeEach(async () => {
  home ??= movesIn()
  const { accounts, person, restore } = await home
  wire = createWire()
  for (const [id, account] of accounts) wire.accounts.set(id, structuredClone(account))
  await at(person.computer, restore)
  alice = await person.newTab(wire)
  await signPageIn(alice)
  const { user: own } = accountStore.getState()
  if (!own) throw new Error('Nobody is signed in')
  user = own
  password = passwordOf(alice.username)
  waysStore.setState(waysStore.getInitialState(), true)
  resetDevices()
})
afterEach(() => vi.unstubAllGlobals())

const opens = (shown: React.ReactNode) => show(shown, alice.env, alice.env)
const button = (name: string | RegExp) => screen.findByRole('button', { name })
const theSwitch = (name: string) => screen.findByRole('switch', { name })
const dialogOf = async (name: string) => within(await screen.findByRole('dialog', { name }))
/** Puts this text into a field, in place of what stands there. */
async function fills(person: ReturnType<typeof show>['person'], field: HTMLElement, text: string) {
  await person.clear(field)
  await person.click(field)
  await person.paste(text)
}
/** The field for the password, beside a choice that is called so too. */
const passwordIn = (dialog: Awaited<ReturnType<typeof dialogOf>>) =>
  dialog.findByLabelText('Password', { selector: 'input:not([type=radio])' })
const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
/** A browser in which passkeys work. */
const withPasskeys = () =>
  stubCredentials('https://conclave.example', { userAgent: navigator.userAgent, clipboard: navigator.clipboard })

/** Counts what is sent to this address, and refuses it while `refusal` is set. */
function watches(path: string, method: string) {
  const seen = { count: 0, refusal: undefined as ApiError | undefined }
  wire.beforeEffect = (_, to, how) => {
    if (to !== path || how !== method) return
    seen.count += 1
    if (seen.refusal) throw seen.refusal
  }
  return seen
}

test('A password that is missing, too short or not repeated stays at its field, and the first of them has the focus', async () => {
  const { person } = opens(<ChangePassword user={user} />)
  await fills(person, screen.getByLabelText(/^New password/), 'short')
  await fills(person, screen.getByLabelText('Repeat new password'), 'other')
  await person.click(await button('Change password'))
  for (const words of ['Current password is required', 'New password must be at least 6 characters'])
    expect(screen.getByText(words)).toBeTruthy()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Current password')))
  await fills(person, screen.getByLabelText('Current password'), 'x')
  expect(screen.queryByText('Current password is required')).toBeNull()
  expect(toasts()).toEqual([])
})

test('A password is changed once however often it is pressed, says at what it is, and a wrong one stays at its field', async () => {
  const seen = watches('/api/change-password', 'PUT')
  const steps = new Set<string>()
  const { person } = opens(<ChangePassword user={user} />)
  const note = new MutationObserver(() => {
    for (const status of screen.queryAllByRole('status')) steps.add(status.textContent ?? '')
  })
  note.observe(document.body, { subtree: true, childList: true, characterData: true })
  const types = (label: string | RegExp, text: string) => fills(person, screen.getByLabelText(label), text)
  await types('Current password', 'not hers')
  await types(/^New password/, 'something else')
  await types('Repeat new password', 'something else')
  await person.click(await button('Change password'))
  expect(await screen.findByText('Current password is wrong')).toBeTruthy()
  expect(screen.getByLabelText(/^New password/)).toHaveProperty('value', 'something else')
  expect([seen.count, toasts()]).toEqual([0, []])

  await types('Current password', password)
  await person.dblClick(await button('Change password'))
  await waitFor(() => expect(toasts()).toEqual(['Password changed: Your other browsers were signed out.']))
  note.disconnect()
  expect(seen.count).toBe(1)
  expect([...steps]).toEqual(
    expect.arrayContaining([
      '1 of 3: checking your current password',
      '2 of 3: making a key from the new one',
      '3 of 3: sealing your keys with it',
    ]),
  )
  for (const label of ['Current password', /^New password/, 'Repeat new password'])
    expect(screen.getByLabelText(label)).toHaveProperty('value', '')
})

test('A new password that the server does not take is told of, and what was typed stays', async () => {
  watches('/api/change-password', 'PUT').refusal = new ApiError(0, 'offline', 'The server cannot be reached')
  const { person } = opens(<ChangePassword user={user} />)
  await fills(person, screen.getByLabelText('Current password'), password)
  await fills(person, screen.getByLabelText(/^New password/), 'something else')
  await fills(person, screen.getByLabelText('Repeat new password'), 'something else')
  await person.click(await button('Change password'))
  await waitFor(() => expect(toasts()).toEqual(['Failed to change password: The server cannot be reached']))
  expect(screen.getByLabelText('Current password')).toHaveProperty('value', password)
  expect(await button('Change password')).toHaveProperty('disabled', false)
})

test('Before an account is deleted it says what goes and what stays; without the right password nothing is deleted', async () => {
  const { person } = opens(<DeleteAccount user={user} />)
  await person.click(await button('Delete account'))
  const dialog = await dialogOf('Delete your account?')
  for (const words of ['This cannot be undone.', 'Goes at once', 'Stays']) expect(dialog.getByText(words)).toBeTruthy()
  const field = dialog.getByLabelText(`Password of @${user.username}`)
  await person.click(dialog.getByRole('button', { name: 'Delete account' }))
  expect(dialog.getByText('Password is required')).toBeTruthy()
  await fills(person, field, 'not hers')
  expect(dialog.queryByText('Password is required')).toBeNull()
  await person.click(dialog.getByRole('button', { name: 'Delete account' }))
  expect(await dialog.findByText('Wrong password')).toBeTruthy()
  expect(field).toHaveProperty('value', 'not hers')
  await person.click(dialog.getByRole('button', { name: 'Cancel' }))
  await isClosed()
  expect(await alice.core.ownDevices()).toHaveLength(1)
})

test('History is switched off after the password, and the switch moves once the server has it', async () => {
  const onChanged = vi.fn()
  const seen = watches('/api/account/keys', 'PUT')
  const { person } = opens(<HistorySwitch isKept onChanged={onChanged} />)
  const history = await theSwitch('Keep encrypted history for my other browsers')
  await person.click(history)
  const dialog = await dialogOf('Stop keeping history?')
  await person.click(await dialog.findByRole('button', { name: 'Switch off and delete' }))
  expect(dialog.getByText('Password is required')).toBeTruthy()
  await fills(person, await passwordIn(dialog), 'not hers')
  await person.click(dialog.getByRole('button', { name: 'Switch off and delete' }))
  expect(await dialog.findByText('Wrong password')).toBeTruthy()
  expect([seen.count, onChanged.mock.calls.length]).toEqual([0, 0])
  await fills(person, await passwordIn(dialog), password)
  await person.dblClick(dialog.getByRole('button', { name: 'Switch off and delete' }))
  await isClosed()
  expect([seen.count, onChanged.mock.calls.length]).toEqual([1, 1])
  expect(toasts()).toEqual([])
  expect(history).toHaveProperty('checked', true)
})

test('What opens the account is asked for again where it could not be loaded, and a change without it says why', async () => {
  watches('/api/passkeys', 'GET').refusal = new ApiError(0, 'offline', 'The server cannot be reached')
  const { person } = opens(<HistorySwitch isKept={false} onChanged={() => undefined} />)
  await person.click(await theSwitch('Keep encrypted history for my other browsers'))
  const dialog = await dialogOf('Keep history for new browsers?')
  expect((await dialog.findByRole('alert')).textContent).toBe('The server cannot be reached')
  wire.beforeEffect = undefined
  await person.click(dialog.getByRole('button', { name: 'Try again' }))
  expect(await passwordIn(dialog)).toBeTruthy()
})

test('Only with a kit or a passkey may the password stop opening the keys; back again it needs both', async () => {
  const first = opens(<OpeningMode />)
  const mode = await theSwitch('New browsers need the kit or a passkey')
  expect(mode).toHaveProperty('disabled', true)
  expect(screen.getByText('Make a recovery kit or add a passkey first.')).toBeTruthy()
  const { words } = await alice.core.newKit()
  await addKit(alice.env, { kind: 'password', password })
  await act(() => loadWays(alice.env))
  const { person } = first
  await person.click(mode)
  const dialog = await dialogOf('Ask for the kit or a passkey?')
  // The password is no way in here, so nothing is to be chosen.
  expect(dialog.queryByRole('radio')).toBeNull()
  await person.click(dialog.getByRole('button', { name: 'Switch on' }))
  expect(dialog.getByText('Enter the 24 words of your recovery kit')).toBeTruthy()
  await person.click(dialog.getByLabelText(/^Words of the kit/))
  await person.paste(words.slice(0, 12).join(' '))
  expect(dialog.getByText('12 of 24 words')).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Switch on' }))
  expect(await dialog.findByText(/^A recovery kit has 24 words[.] These are 12/)).toBeTruthy()
  await person.paste(` ${words.slice(12).join(' ')}`)
  await person.click(dialog.getByRole('button', { name: 'Switch on' }))
  await isClosed()
  expect(toasts()).toEqual([])
  expect(mode).toHaveProperty('checked', true)

  await person.click(mode)
  const back = await dialogOf('Let the password open your keys again?')
  const own = back.getByLabelText('Password of this account')
  await person.click(back.getByLabelText(/^Words of the kit/))
  await person.paste(words.join(' '))
  await person.click(back.getByRole('button', { name: 'Switch off' }))
  expect(await back.findByText('Password is required')).toBeTruthy()
  await fills(person, own, 'not hers')
  await person.click(back.getByRole('button', { name: 'Switch off' }))
  expect(await back.findByText('Wrong password')).toBeTruthy()
  await fills(person, own, password)
  await person.click(back.getByRole('button', { name: 'Switch off' }))
  await isClosed()
  expect(mode).toHaveProperty('checked', false)
})

test('Without a kit it says what a forgotten password means, and a kit is removed only after a way in', async () => {
  const { person } = opens(<KitSettings username={user.username} />)
  expect(await screen.findByText('You have no recovery kit.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Remove the kit' })).toBeNull()
  await alice.core.newKit()
  await addKit(alice.env, { kind: 'password', password })
  await act(() => loadWays(alice.env))
  await person.click(await button('Remove the kit'))
  const dialog = await dialogOf('Remove the recovery kit?')
  await fills(person, await passwordIn(dialog), password)
  await person.click(dialog.getByRole('button', { name: 'Remove the kit' }))
  expect(await screen.findByText('You have no recovery kit.')).toBeTruthy()
  expect(toasts()).toEqual([])
})

test('Where passkeys do not work it says so and offers none', async () => {
  opens(<PasskeySettings isAsked={false} />)
  expect(await button('Add a passkey')).toHaveProperty('disabled', true)
  expect(screen.getByText('Passkeys do not work in this browser or at this address.')).toBeTruthy()
})

test('A passkey is made after the keys are open: it needs a name, what the browser refuses is said, and it stands on the list', async () => {
  const credentials = withPasskeys()
  const { person } = opens(<PasskeySettings isAsked={false} />)
  await person.click(await button('Add a passkey'))
  const dialog = await dialogOf('Add a passkey')
  await fills(person, await passwordIn(dialog), 'not hers')
  await person.click(dialog.getByRole('button', { name: 'Go on' }))
  expect(await dialog.findByText('Wrong password')).toBeTruthy()
  await fills(person, await passwordIn(dialog), password)
  await person.click(dialog.getByRole('button', { name: 'Go on' }))
  expect(await screen.findByText(/^Your keys are open[.]/)).toBeTruthy()
  const name = screen.getByLabelText('Name of the passkey')
  expect(document.activeElement).toBe(name)
  await person.clear(name)
  await person.click(await button('Make the passkey'))
  expect(screen.getByText('A name is required')).toBeTruthy()
  expect(credentials.create).not.toHaveBeenCalled()
  credentials.create.mockRejectedValueOnce(new DOMException('closed', 'NotAllowedError'))
  await fills(person, name, 'Desk')
  await person.click(await button('Make the passkey'))
  expect((await screen.findByRole('alert')).textContent).toContain('The passkey was not used: the request was closed')
  await person.click(await button('Make the passkey'))
  expect(await screen.findByText('Desk')).toBeTruthy()
  await waitFor(() => expect(toasts()).toEqual(['The passkey is added: It signs you in, and opens your keys on a new browser.']))
  expect(screen.getByText('Signs you in, and opens your keys')).toBeTruthy()
  expect(screen.queryByLabelText('Name of the passkey')).toBeNull()
})

test('While a passkey is being made nothing is done to one that the list shows already: the dialog would be closed', async () => {
  const credentials = withPasskeys()
  await addPasskey(alice.env, { kind: 'password', password }, 'Desk')
  const { person } = opens(<PasskeySettings isAsked={false} />)
  await person.click(await button('Add a passkey'))
  const dialog = await dialogOf('Add a passkey')
  // The account has two ways in now: the easiest is chosen.
  expect(dialog.getByRole('radio', { name: 'Password' })).toHaveProperty('checked', true)
  await fills(person, await passwordIn(dialog), password)
  await person.click(dialog.getByRole('button', { name: 'Go on' }))
  await screen.findByText(/^Your keys are open[.]/)
  for (const name of ['Name the passkey Desk', 'Remove the passkey Desk'])
    expect(await button(name)).toHaveProperty('disabled', true)
  await person.click(await button('Cancel'))
  expect(await button('Remove the passkey Desk')).toHaveProperty('disabled', false)
  expect(credentials.passkeys).toHaveLength(1)
})

test('A passkey gets another name and is removed, each after a way in; an empty name changes nothing', async () => {
  withPasskeys()
  await addPasskey(alice.env, { kind: 'password', password }, 'Desk')
  const { person } = opens(<PasskeySettings isAsked={false} />)
  await person.click(await button('Name the passkey Desk'))
  const naming = await dialogOf('Name this passkey')
  await person.clear(naming.getByLabelText('Name of the passkey'))
  await fills(person, await passwordIn(naming), password)
  await person.click(naming.getByRole('button', { name: 'Save the name' }))
  expect(await naming.findByText('A name is required')).toBeTruthy()
  await fills(person, naming.getByLabelText('Name of the passkey'), 'Phone')
  await person.click(naming.getByRole('button', { name: 'Save the name' }))
  expect(await button('Remove the passkey Phone')).toBeTruthy()
  await isClosed()
  await person.click(await button('Remove the passkey Phone'))
  const removing = await dialogOf('Remove this passkey?')
  await fills(person, await passwordIn(removing), password)
  await person.click(removing.getByRole('button', { name: 'Remove the passkey' }))
  await isClosed()
  expect(screen.queryByRole('list', { name: 'Passkeys' })).toBeNull()
  expect(toasts()).toEqual(['The passkey is removed: It opens nothing here. On its device it stays until you delete it there.'])
})

test('While the sign-in asks for a passkey the last ones stay, and it says why', async () => {
  withPasskeys()
  await addPasskey(alice.env, { kind: 'password', password }, 'Desk')
  opens(<PasskeySettings isAsked />)
  expect(await button('Remove the passkey Desk')).toHaveProperty('disabled', true)
  expect(screen.getByText(/^While the sign-in asks for a passkey and you have no recovery kit, two must stay/)).toBeTruthy()
})

test('The sign-in asks for a passkey only where somebody could come back; where none is here it is made first', async () => {
  withPasskeys()
  const { again, person } = opens(<BiometricSettings user={user} />)
  const asks = await theSwitch('Biometric sign-in')
  expect(asks).toHaveProperty('disabled', true)
  expect(screen.getByText(/^Make a recovery kit first, or a second passkey/)).toBeTruthy()
  await alice.core.newKit()
  await addKit(alice.env, { kind: 'password', password })
  await act(() => loadWays(alice.env))
  await person.click(asks)
  const dialog = await dialogOf('Ask for a passkey at each sign-in?')
  await fills(person, await passwordIn(dialog), password)
  await person.click(dialog.getByRole('button', { name: 'Switch on' }))
  await screen.findByText(/^Your keys are open[.]/)
  expect(asks).toHaveProperty('checked', false)
  await person.click(await button('Make the passkey'))
  await waitFor(() => expect(wire.accounts.get(alice.userId)?.biometricEnabled).toBe(true))
  expect(toasts()).toEqual([])
  again(<BiometricSettings user={{ ...user, biometricEnabled: true }} />)
  await person.click(asks)
  const off = await dialogOf('Stop asking for a passkey?')
  await fills(person, await passwordIn(off), password)
  wire.beforeEffect = (_, path) => {
    if (path === '/api/biometric') throw new ApiError(500, 'internal', 'Something went wrong')
  }
  await person.click(off.getByRole('button', { name: 'Switch off' }))
  // No word of it stands under the password, which was right.
  await waitFor(() => expect(toasts()).toContain('Failed to update biometric settings: Something went wrong'))
  expect(screen.queryByRole('dialog')).toBeNull()
  wire.beforeEffect = undefined
  await person.click(asks)
  const onceMore = await dialogOf('Stop asking for a passkey?')
  await fills(person, await passwordIn(onceMore), password)
  await person.click(onceMore.getByRole('button', { name: 'Switch off' }))
  await waitFor(() => expect(wire.accounts.get(alice.userId)?.biometricEnabled).toBe(false))
})

test('A lock is switched on by the account’s own password alone, and off by it again', async () => {
  const { person } = opens(<LockSettings userId={alice.userId} />)
  await person.click(await screen.findByRole('radio', { name: '5 minutes' }))
  const dialog = await dialogOf('Lock this browser?')
  const field = await dialog.findByLabelText('Password of this account')
  // It is loaded after the dialog has opened.
  await waitFor(() => expect(document.activeElement).toBe(field))
  await person.click(dialog.getByRole('button', { name: 'Switch on' }))
  expect(dialog.getByText('Password is required')).toBeTruthy()
  await fills(person, field, 'a typing error')
  await person.click(dialog.getByRole('button', { name: 'Switch on' }))
  expect(await dialog.findByText('Wrong password')).toBeTruthy()
  await fills(person, field, password)
  await person.click(dialog.getByRole('button', { name: 'Switch on' }))
  await isClosed()
  await waitFor(() => expect(screen.getByRole('radio', { name: '5 minutes' })).toHaveProperty('checked', true))
  // Another time needs nothing; off needs the password.
  await person.click(screen.getByRole('radio', { name: '1 hour' }))
  await waitFor(() => expect(screen.getByRole('radio', { name: '1 hour' })).toHaveProperty('checked', true))
  await person.click(screen.getByRole('radio', { name: 'Off' }))
  const off = await dialogOf('Switch the lock off?')
  await fills(person, off.getByLabelText('Password that opens the lock'), 'not hers')
  await person.click(off.getByRole('button', { name: 'Switch off' }))
  expect(await off.findByText('This does not open the lock')).toBeTruthy()
  await fills(person, off.getByLabelText('Password that opens the lock'), password)
  await person.click(off.getByRole('button', { name: 'Switch off' }))
  await isClosed()
  await waitFor(() => expect(screen.getByRole('radio', { name: 'Off' })).toHaveProperty('checked', true))
})

test('A window without a store offers no lock, and says why', async () => {
  vi.spyOn(globalThis.indexedDB, 'databases').mockRejectedValue(new DOMException('private', 'InvalidStateError'))
  opens(<LockSettings userId={alice.userId} />)
  await screen.findByText(/^This window has no store, so there is no lock for it/)
  expect(screen.queryByRole('radio', { name: '5 minutes' })).toBeNull()
})

/** Somebody is signed in to Alice's account with this browser, without keys. */
function signedIn(browser: string, at = SEEN_AT) {
  const account = wire.accounts.get(alice.userId)
  if (!account) throw new Error('The account is not on the wire')
  const session = { browser, system: 'Linux', ingress: 'onion' as const, firstSeenAt: at, lastSeenAt: at }
  account.sessions = [...(account.sessions ?? []), { ...session, id: crypto.randomUUID(), deviceId: null, isCurrent: false }]
}

test('A session without keys is ended from the list; where the server is away it stays, and it says so', async () => {
  signedIn('Firefox')
  signedIn('Chrome')
  const { person } = opens(<SessionsPage onChangePassword={() => undefined} />)
  const list = within(await screen.findByRole('list', { name: 'Sessions without keys' }))
  expect(list.getAllByText(/^by onion · first seen .* · last seen/)).toHaveLength(2)
  expect(await screen.findByText(/^Signed in: .* · direct · first seen .* · active now$/)).toBeTruthy()
  wire.beforeEffect = (_, __, method) => {
    if (method === 'DELETE') throw new ApiError(0, 'offline', 'The server cannot be reached')
  }
  await person.click(list.getByRole('button', { name: 'End the session of Firefox on Linux' }))
  await waitFor(() => expect(toasts()).toEqual(['The session was not ended: The server cannot be reached']))
  wire.beforeEffect = undefined
  await person.click(list.getByRole('button', { name: 'End the session of Firefox on Linux' }))
  await waitFor(() => expect(list.getAllByRole('button')).toHaveLength(1))
  expect(toasts()).toHaveLength(1)
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Sessions and devices' }))
})

test('All other sessions end once Alice has said so, and then there is this one alone', async () => {
  signedIn('Firefox')
  signedIn('Chrome')
  const { person } = opens(<SessionsPage onChangePassword={() => undefined} />)
  const end = await button('End all others')
  await waitFor(() => expect(end).toHaveProperty('disabled', false))
  await person.click(end)
  const question = within(await screen.findByRole('alertdialog', { name: 'End all other sessions?' }))
  await person.click(question.getByRole('button', { name: 'Cancel' }))
  expect(wire.accounts.get(alice.userId)?.sessions).toHaveLength(2)
  await person.click(end)
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'End them' }))
  expect(await screen.findByText('This is the only session.')).toBeTruthy()
  expect(toasts()).toEqual([])
})

test('Sessions that cannot be loaded are not taken for none, and are asked for again', async () => {
  const seen = watches('/api/sessions', 'GET')
  seen.refusal = new ApiError(0, 'offline', 'The server cannot be reached')
  const { person } = opens(<SessionsPage onChangePassword={() => undefined} />)
  expect((await screen.findByRole('alert')).textContent).toContain('The server cannot be reached. The sessions are not known.')
  expect(screen.queryByText('This is the only session.')).toBeNull()
  expect(await button('End all others')).toHaveProperty('disabled', true)
  seen.refusal = undefined
  await person.click(await button('Try again'))
  expect(await screen.findByText('This is the only session.')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('A browser of hers gets a name that she chooses, and an empty one gives back that which it came with', async () => {
  const { person } = opens(<SessionsPage onChangePassword={() => undefined} />)
  const [own] = await alice.core.ownDevices()
  await person.click(await button(`Name ${own?.name}`))
  const naming = await dialogOf(`Name ${own?.name}`)
  await fills(person, naming.getByLabelText(/^Name/), 'In the kitchen')
  await person.click(naming.getByRole('button', { name: 'Save' }))
  await isClosed()
  await person.click(await button('Name In the kitchen'))
  const again = await dialogOf('Name In the kitchen')
  await person.clear(again.getByLabelText(/^Name/))
  await person.click(again.getByRole('button', { name: 'Save' }))
  expect(await button(`Name ${own?.name}`)).toBeTruthy()
})

test('A browser that Alice has not added is removed after her password, and she is led to a new one', async () => {
  const phone = await alice.newComputer()
  await refreshOwnDevices(alice.env)
  const onChangePassword = vi.fn()
  const { person } = opens(<SessionsPage onChangePassword={onChangePassword} />)
  await person.click(await button('Not me: remove Another browser'))
  const dialog = await dialogOf('Was Another browser not you?')
  await fills(person, await passwordIn(dialog), 'not hers')
  await person.click(dialog.getByRole('button', { name: 'Remove it' }))
  expect(await dialog.findByText('Wrong password')).toBeTruthy()
  await fills(person, await passwordIn(dialog), password)
  await person.click(dialog.getByRole('button', { name: 'Remove it' }))
  await waitFor(() => expect(onChangePassword).toHaveBeenCalledOnce())
  expect(toasts()).toEqual(['Browser removed: Whoever added it knows your password. Choose a new one now.'])
  expect((await alice.core.ownDevices()).map(({ id }) => id)).not.toContain(phone.deviceId)
})

test('Without an address book the other browsers are named first, and an empty one is begun only after a way in', async () => {
  await alice.newComputer()
  await refreshOwnDevices(alice.env)
  const { person } = opens(<LostBook />)
  const told = await screen.findByText(/First open Conclave in another of your browsers/)
  expect(told.textContent).toContain('You have Another browser.')
  await person.click(await button('Start an empty one'))
  const dialog = await dialogOf('Start an empty address book?')
  await fills(person, await passwordIn(dialog), 'not hers')
  await person.click(dialog.getByRole('button', { name: 'Start an empty one' }))
  expect(await dialog.findByText('Wrong password')).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Cancel' }))
  await isClosed()
  expect(toasts()).toEqual([])
})
