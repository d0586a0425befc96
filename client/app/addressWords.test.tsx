// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { onionOf } from '../../contract/people/onion.ts'
import { devicesStore } from '../me/devices/store.ts'
import { SignIn } from '../me/signin/SignIn.tsx'
import { AddContactDialog } from '../people/contacts/AddContactDialog.tsx'
import { ContactPanel } from '../rooms/trust/ContactPanel.tsx'
import { makeAnswers, openScreen, show } from '../testing/screen.tsx'
import { shownBob } from '../testing/shown.ts'
import { ProfilePage } from './ProfilePage.tsx'

openScreen()

const ADDRESS = `${'q5x3tj7w'.repeat(7)}.onion`
const happy = (globalThis as never as { happyDOM: { setURL(url: string): void } }).happyDOM
afterEach(() => happy.setURL('http://localhost/'))

const nothing = () => undefined
const NO_PLACE = /nothing connects to it, not even Tor/

test.each([
  ['a new contact’s', <AddContactDialog key="add" onClose={nothing} />],
  [
    'a contact’s',
    <ContactPanel
      key="panel"
      person={{ ...shownBob, mismatch: 'key_changed' }}
      presence={undefined}
      onClose={nothing}
      onFreed={nothing}
      isCovered={false}
    >
      {null}
    </ContactPanel>,
  ],
])('Where %s onion address is shown it is said to name a key, and to be no place that Tor connects to', async (_, shown) => {
  show(shown, makeAnswers())
  expect(await screen.findByText(NO_PLACE)).toBeTruthy()
})

test('So is the own one, in the profile', async () => {
  devicesStore.setState({ identityKey: shownBob.identityKey })
  const user = { id: shownBob.id, username: 'alice', displayName: 'Alice', profileImageUrl: null, email: null, isAdmin: false }
  show(<ProfilePage user={user as never} />, makeAnswers())
  expect(await screen.findByText(NO_PLACE)).toBeTruthy()
  expect(screen.getByText(onionOf(shownBob.identityKey) ?? '')).toBeTruthy()
  devicesStore.setState(devicesStore.getInitialState())
})

test.each([
  [`http://${ADDRESS}/auth`, 1],
  ['https://chat.example.org/auth', 0],
])('The sign-in at %s says that passkeys and sessions of the other address do not count there: %i times', (url, times) => {
  happy.setURL(url)
  show(<SignIn username="" onUsername={nothing} onSubmit={nothing} onStep={nothing} onForgot={nothing} />, makeAnswers())
  expect(screen.queryAllByText(/Passkeys and sessions of this server’s other address do not count here/)).toHaveLength(times)
})
