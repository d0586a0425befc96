// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { accountApi, type User } from '../../contract/account/account.ts'
import { recoveryApi } from '../../contract/account/recovery.ts'
import type { SignIn as ToldSignIn } from '../../contract/account/sessions.ts'
import { sessionsApi } from '../../contract/account/sessions.ts'
import { held, makeAnswers, openScreen, refused, show, toasts } from '../testing/screen.tsx'
import { createCore } from '../worker/core.ts'
import { CryptoFailure } from '../worker/crypto.ts'
import { accountStore } from './account/accountState.ts'
import { Profile } from './account/Profile.tsx'
import { Unlock } from './browserlock/Unlock.tsx'
import { KitPages } from './kit/KitPages.tsx'
import { PhotoSettings } from './photo/PhotoSettings.tsx'
import { dropChosen, dropFailure } from './photo/photo.ts'
import { NewSignIns } from './sessions/NewSignIns.tsx'
import { signInsStore } from './sessions/store.ts'
import { KitSignIn } from './signin/KitSignIn.tsx'
import { SignIn } from './signin/SignIn.tsx'
import { SignUp } from './signin/SignUp.tsx'

openScreen()

const ALICE: User = {
  ...{ id: '9d3c7a52-0f51-4a7e-9e0b-1c6f3f5d0b01', username: 'Alice', displayName: 'Alice', profileImageUrl: null },
  ...{ isAdmin: false, subscriptionTier: 'free', biometricEnabled: false, email: null, onionAddress: null, hasKeys: true },
  ...{ deviceId: null, privacy: { presence: true, lastSeen: true, typing: true, receipts: true } },
}
beforeEach(() => {
  accountStore.setState({ phase: 'signed_in', user: ALICE, notice: null })
  signInsStore.setState({ signIns: [] })
})

const offline = () => {
  throw refused(0, 'offline', 'The server cannot be reached')
}
const button = (name: string | RegExp) => screen.findByRole('button', { name })

/** The user as the store has them. */
function OwnProfile() {
  const [user, setUser] = useState(ALICE)
  accountStore.subscribe(({ user: next }) => next && setUser(next))
  return <Profile user={user} />
}

const ignore = () => undefined
const SIGN_IN = { username: '', onUsername: ignore, onSubmit: ignore, onStep: ignore, onForgot: ignore }
const KIT_SIGN_IN = { username: '', words: '', onChange: ignore, onStep: ignore, onCancel: ignore }

/** The text fields of which Chromium keeps what is typed: those with a name or id, unless they say off. */
const keptFields = () =>
  [...document.querySelectorAll('input')]
    .filter(({ type, autocomplete, id, name }) => type === 'text' && autocomplete !== 'off' && (id !== '' || name !== ''))
    .map(({ id, labels }) => labels?.[0]?.textContent ?? id)

test.each([
  ['the sign-up', () => <SignUp preferred="" onSubmit={ignore} />, ['Username', 'Display name']],
  ['the sign-in', () => <SignIn {...SIGN_IN} />, ['Username']],
  ['the sign-in by the kit', () => <KitSignIn {...KIT_SIGN_IN} />, ['Username']],
  ['the profile', OwnProfile, ['Display name', 'Username']],
])('The next person at this computer is offered no name that Alice typed: %s', async (_, Form, labels) => {
  const answers = makeAnswers()
  answers.on(accountApi.usernameAvailable, () => ({ available: true, message: 'Free' }))
  show(<Form />, answers)
  for (const label of labels) expect(screen.getByLabelText(new RegExp(`^${label}`))).toBeTruthy()
  expect(keptFields()).toEqual([])
})

test('By keyboard alone: Tab leads from the password to its repetition, and passwords that differ are said before anything is sent', async () => {
  const answers = makeAnswers()
  answers.on(accountApi.usernameAvailable, () => ({ available: true, message: 'Free' }))
  const { person, again } = show(<SignUp preferred="" onSubmit={ignore} />, answers)
  again(<SignUp preferred="marchetti" onSubmit={ignore} />)
  const [name, repeat] = [screen.getByLabelText(/^Username/), screen.getByLabelText('Repeat password')]
  expect(name).toHaveProperty('value', 'marchetti')
  await person.tab()
  await person.keyboard('{Tab}Alice{Tab}secret words{Tab}secret wards')
  expect(repeat).toHaveProperty('value', 'secret wards')
  expect(screen.queryByText("Passwords don't match")).toBeNull()
  await person.tab()
  // The eye of the repetition shows both.
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Show password')
  expect(screen.getByText("Passwords don't match")).toBeTruthy()
  await person.clear(repeat)
  await person.type(repeat, 'secret words')
  await person.tab()
  expect(screen.queryByText("Passwords don't match")).toBeNull()
})

test('Whoever comes to a locked browser types the password at once, and a wrong one is typed again where it was', async () => {
  const open = vi.fn(async () => {
    throw new CryptoFailure('lock_secret', 'wrong')
  })
  const { person } = show(<Unlock ways={{ passwordSalt: 'salt', passkeyIds: [] } as never} open={open} />, makeAnswers())
  await person.keyboard('secret wards{Enter}')
  expect(open).toHaveBeenCalledExactlyOnceWith({ password: 'secret wards' })
  await screen.findByText('Wrong password')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Password')))
})

test('After the words of a kit are written down, the first word that is asked for is typed at once', async () => {
  const words = Array.from({ length: 24 }, (_, at) => `word${at}`)
  const { person } = show(
    <KitPages heading="h1" username="alice" pendingWords="Adding..." onRight={async () => undefined}>
      {null}
    </KitPages>,
    makeAnswers(),
    { crypto: { newKit: async () => ({ words }) } as never },
  )
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Your recovery kit'))
  await person.click(await button('I have written it down'))
  await person.keyboard('typed')
  expect(screen.getAllByLabelText(/^Word /).map((field) => (field as HTMLInputElement).value)).toEqual(['typed', '', ''])
})

test('What was typed before the invitation’s name came stays', async () => {
  const answers = makeAnswers()
  answers.on(accountApi.usernameAvailable, () => ({ available: true, message: 'Free' }))
  const { person, again } = show(<SignUp preferred="" onSubmit={ignore} />, answers)
  await person.type(screen.getByLabelText(/^Username/), 'al')
  again(<SignUp preferred="marchetti" onSubmit={ignore} />)
  await person.keyboard('ice')
  expect(screen.getByLabelText(/^Username/)).toHaveProperty('value', 'alice')
})

test('What Alice types while her name is being saved stays, with the focus, and is saved next', async () => {
  const answers = makeAnswers()
  const slow = held<User>()
  answers.on(accountApi.updateProfile, () => slow.promise)
  const { person } = show(<OwnProfile />, answers)
  const name = screen.getByLabelText(/^Display name/)
  expect(screen.queryByRole('button', { name: 'Save changes' })).toBeNull()
  await person.type(name, ' Ma{Enter}')
  await person.type(name, 'rchetti{Enter}')
  await act(async () => slow.answer({ ...ALICE, displayName: 'Alice Ma' }))
  await waitFor(() => expect(toasts()).toEqual(['Profile saved: Your contacts see your name from now on.']))
  expect(name).toHaveProperty('value', 'Alice Marchetti')
  expect(document.activeElement).toBe(name)
  answers.on(accountApi.updateProfile, ({ displayName }) => ({ ...ALICE, displayName }))
  await person.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Save changes' })).toBeNull())
  expect(answers.asked.map(({ input }) => input)).toEqual([{ displayName: 'Alice Ma' }, { displayName: 'Alice Marchetti' }])
})

test('A name or an email that is none, or that the server refuses, stays at its field; Undo brings back what was stored', async () => {
  const answers = makeAnswers()
  answers.on(accountApi.updateProfile, offline)
  const { person } = show(<OwnProfile />, answers)
  const [name, email] = [screen.getByLabelText(/^Display name/), screen.getByLabelText(/^Email/)]
  await person.clear(name)
  await person.click(await button('Save changes'))
  expect(document.activeElement).toBe(name)
  expect(name.getAttribute('aria-invalid')).toBe('true')
  await person.type(name, 'Alice')
  await person.type(email, 'nowhere{Enter}')
  expect(document.activeElement).toBe(email)
  expect([email.getAttribute('aria-invalid'), answers.asked]).toEqual(['true', []])
  await person.type(email, '@example.org{Enter}')
  // What is no refusal of what was typed stands at no field.
  await waitFor(() => expect(toasts()).toEqual(['Failed to update profile: The server cannot be reached']))
  expect([email, name].map((field) => field.getAttribute('aria-invalid'))).toEqual([null, null])
  answers.on(accountApi.updateProfile, () => {
    throw refused(400, 'invalid_input', 'This address receives no mail')
  })
  await person.type(email, '{Enter}')
  expect(await screen.findByText('This address receives no mail')).toBeTruthy()
  expect([email, name].map((field) => field.getAttribute('aria-invalid'))).toEqual(['true', null])
  await person.click(await button('Undo'))
  expect(email).toHaveProperty('value', '')
  expect(screen.queryByText('This address receives no mail')).toBeNull()
})

test.each([
  ['holiday.jpg', 'x'.repeat(6_000_000), '“holiday.jpg” has 5.8 MB. A photo may have at most 5 MB.'],
  ['report.jpg', '%PDF-1.7', '“report.jpg” is not a JPG, PNG or GIF picture, whatever its name says.'],
  ['logo.jpg', '<svg><script>alert(1)</script></svg>', '“logo.jpg” is not a JPG, PNG or GIF picture, whatever its name says.'],
])('A photo %s that is none is refused by name, and Alice chooses another one', async (name, content, words) => {
  dropChosen()
  dropFailure()
  const { person } = show(<PhotoSettings user={ALICE} />, makeAnswers())
  await person.upload(screen.getByLabelText('Photo file'), new File([content], name, { type: 'image/jpeg' }))
  expect((await screen.findByRole('alert')).textContent).toBe(`Failed to update profile photo. ${words}`)
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.queryByText(/is not saved yet/)).toBeNull()
})

test('A photo that cannot be removed stays, and it says why', async () => {
  const answers = makeAnswers()
  const { person } = show(<PhotoSettings user={{ ...ALICE, profileImageUrl: '/api/photos/1' }} />, answers, {
    api: offline as never,
  })
  await person.click(await button('Remove'))
  await waitFor(() => expect(toasts()).toEqual(['Failed to update profile photo: The server cannot be reached']))
  expect(await button('Remove')).toHaveProperty('disabled', false)
})

/** The kit as it is typed at the sign-in. */
function TypedKit({ onStep = () => undefined }: { onStep?: () => void }) {
  const [typed, setTyped] = useState({ username: '', words: '' })
  return <KitSignIn {...typed} onChange={(next) => setTyped({ ...typed, ...next })} onStep={onStep} onCancel={() => undefined} />
}

const KIT = `${'abandon '.repeat(23)}art`

test('A kit without a name, of half its words, or with a word that is none is refused by name before it is sent', async () => {
  const { person } = show(<TypedKit />, makeAnswers(), { crypto: createCore() })
  await person.click(await button('Open my account'))
  for (const words of ['Username is required', 'The words are required']) expect(screen.getByText(words)).toBeTruthy()
  await person.type(screen.getByLabelText('Username'), 'alice')
  const field = screen.getByLabelText(/^Words of the kit/)
  await person.click(field)
  await person.paste('abandon '.repeat(12))
  await person.click(await button('Open my account'))
  expect(screen.getByText('A recovery kit has 24 words. These are 12')).toBeTruthy()
  await person.click(field)
  await person.paste('xyzzy ')
  expect(await screen.findByText(/xyzzy.* is not a word of a recovery kit/)).toBeTruthy()
  expect(screen.getByText('13 of 24 words')).toBeTruthy()
})

test('Another account’s kit stays at its field with its words; a server that refuses for now is no fault of the words', async () => {
  const answers = makeAnswers()
  answers.on(recoveryApi.loginByKit, () => {
    throw refused(401, 'wrong_kit', 'This recovery kit does not open this account')
  })
  const onStep = vi.fn()
  const { person } = show(<TypedKit onStep={onStep} />, answers, { crypto: createCore() })
  await person.type(screen.getByLabelText('Username'), 'alice')
  const field = screen.getByLabelText(/^Words of the kit/)
  await person.click(field)
  await person.paste(KIT)
  await person.click(await button('Open my account'))
  expect(await screen.findByText('This recovery kit does not open this account')).toBeTruthy()
  expect(field).toHaveProperty('value', KIT)
  expect(field.getAttribute('aria-invalid')).toBe('true')
  answers.on(recoveryApi.loginByKit, () => {
    throw refused(429, 'too_many_requests', 'Too many attempts')
  })
  await person.click(await button('Open my account'))
  expect((await screen.findByRole('alert')).textContent).toBe('Too many attempts')
  expect(field.getAttribute('aria-invalid')).toBeNull()
  expect(onStep).not.toHaveBeenCalled()
})

const ids = ['01', '02', '03', '04', '05'].map((end) => ALICE.id.replace('01', end))
const signIn = (at: number, more: Partial<ToldSignIn> = {}): ToldSignIn => ({
  ...{ id: ids[at] ?? '', browser: 'Chrome', system: `Windows ${at}`, ingress: 'direct', signedInAt: '2026-11-14T14:02:00.000Z' },
  ...{ deviceId: null, copiedPasskey: null, isLive: true },
  ...more,
})

function told(signIns: ToldSignIn[]) {
  signInsStore.setState({ signIns })
  const answers = makeAnswers()
  answers.on(sessionsApi.answerSignIns, () => ({}))
  answers.on(sessionsApi.end, () => ({}))
  answers.on(sessionsApi.list, () => [])
  const onChangePassword = vi.fn()
  return {
    answers,
    onChangePassword,
    ...show(<NewSignIns onChangePassword={onChangePassword} onReview={ignore} focusNext={ignore} />, answers),
  }
}
const sent = ({ asked }: ReturnType<typeof makeAnswers>) =>
  asked.filter(({ path }) => !path.startsWith('GET')).map(({ path, input }) => [path, input])

test('Three sign-ins are told one by one and the others counted; each goes with its answer', async () => {
  const { answers, person } = told([0, 1, 2, 3, 4].map((at) => signIn(at)))
  expect(screen.getAllByText(/^New sign-in: /)).toHaveLength(3)
  await person.click(await button('They were all me: 2 more sign-ins'))
  await waitFor(() => expect(screen.queryByText('2 more sign-ins before these')).toBeNull())
  await person.click(await button('It was me who signed in with Chrome on Windows 1'))
  await waitFor(() => expect(screen.getAllByText(/^New sign-in: /)).toHaveLength(2))
  expect(sent(answers)).toEqual([
    ['POST /api/sign-ins/answer', { ids: [ids[3], ids[4]] }],
    ['POST /api/sign-ins/answer', { ids: [ids[1]] }],
  ])
  answers.on(sessionsApi.answerSignIns, offline)
  await person.click(await button('It was me who signed in with Chrome on Windows 0'))
  await waitFor(() => expect(toasts()).toEqual(['Your answer was not kept: The server cannot be reached']))
  expect(screen.getAllByText(/^New sign-in: /)).toHaveLength(2)
})

test('A sign-in that was not Alice is ended and leads her to a new password; one that has ended leads there alone', async () => {
  const { answers, onChangePassword, person } = told([signIn(0), signIn(1, { isLive: false })])
  expect(screen.getByText(/It has ended since[.] Not you[?] Change your password/)).toBeTruthy()
  answers.on(sessionsApi.end, offline)
  await person.click(await button('End it'))
  await waitFor(() => expect(toasts()).toEqual(['The session was not ended: The server cannot be reached']))
  expect(onChangePassword).not.toHaveBeenCalled()
  answers.on(sessionsApi.end, () => ({}))
  await person.click(await button('End it'))
  await waitFor(() => expect(onChangePassword).toHaveBeenCalledOnce())
  await person.click(await button('Change password'))
  await waitFor(() => expect(onChangePassword).toHaveBeenCalledTimes(2))
  expect(toasts()).toHaveLength(1)
  expect(sent(answers).filter(([path]) => String(path).startsWith('DELETE'))).toHaveLength(2)
})

test('A sign-in by a copied passkey names the passkey, and what to do about it', async () => {
  const { onChangePassword, person } = told([signIn(0, { isLive: false, copiedPasskey: 'Old phone' })])
  expect(screen.getByText(/^A sign-in was refused/).textContent).toContain('Chrome on Windows 0')
  expect(screen.getByText(/Somebody may have a copy of your passkey/).textContent).toContain('Old phone')
  await person.click(await button('Change password'))
  await waitFor(() => expect(onChangePassword).toHaveBeenCalledOnce())
})
