// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { accountApi, type User } from '../../contract/account/account.ts'
import { stepUpApi } from '../../contract/account/stepup.ts'
import { type AdminUser, adminApi } from '../../contract/admin/admin.ts'
import type { Tier } from '../../contract/money/plans.ts'
import { accountStore } from '../me/account/accountState.ts'
import { held, lineOf, makeAnswers, openScreen, refused, show, toasts } from '../testing/screen.tsx'
import { createCore } from '../worker/core.ts'
import { AdminPage } from './AdminPage.tsx'
import { FirstAdministrator } from './FirstAdministrator.tsx'
import { UsersTab } from './UsersTab.tsx'

openScreen()
beforeEach(() => history.replaceState(null, '', '/admin'))

const BOB: AdminUser = {
  id: '9d3c7a52-0f51-4a7e-9e0b-1c6f3f5d0b01',
  username: 'Bob',
  displayName: 'Bob Miller',
  profileImageUrl: null,
  isActive: true,
  isAdmin: false,
  subscriptionTier: 'free',
  createdAt: '2026-03-04T12:00:00.000Z',
  lastSeen: '2026-11-20T00:00:00.000Z',
}
const CAROL: AdminUser = { ...BOB, id: BOB.id.replace('01', '02'), username: 'carol', displayName: '', lastSeen: null }
const ADA = { id: BOB.id.replace('01', '03'), username: 'Ada', displayName: 'Ada', profileImageUrl: null, isAdmin: true } as User

/** A server with these accounts, which has `total` in all. */
function office(users: AdminUser[] = [BOB], total = users.length) {
  const answers = makeAnswers()
  answers.on(adminApi.users, () => ({ users, total }))
  return answers
}

const offline = () => {
  throw refused(0, 'offline', 'You are offline')
}
const button = (name: string | RegExp) => screen.findByRole('button', { name })
/** What was asked of the list, newest last. */
const questions = ({ asked }: ReturnType<typeof office>) =>
  asked.filter(({ path }) => path === 'GET /api/admin/users').map(({ input }) => input)
const puts = ({ asked }: ReturnType<typeof office>) => asked.filter(({ path }) => path.startsWith('PUT'))

test('The accounts are shown with plan, state and days; one that has no name or was never here says so', async () => {
  show(<UsersTab />, office([BOB, { ...CAROL, isActive: false, isAdmin: true, subscriptionTier: 'master' }], 1284))
  await screen.findByText('@bob')
  const [bob, carol] = [lineOf('@bob'), lineOf('@carol')]
  for (const words of ['Bob Miller', 'Mar 4, 2026', 'Nov 20, 2026', 'Active']) bob.getByText(words)
  for (const words of ['carol', 'never', 'Inactive', 'Admin']) carol.getByText(words)
  // A plan that cannot be given stands among the choices of the one who has it.
  expect(carol.getByRole('combobox', { name: 'Tier of @carol' })).toHaveProperty('value', 'master')
  expect(bob.queryByRole('option', { name: 'Master' })).toBeNull()
  expect(screen.getByText('1,284')).toBeTruthy()
  expect(screen.getByRole('status').textContent).toBe('1 to 20 of 1,284')
})

test('What is typed is asked for once, on the first page, and stands in the address with the filters', async () => {
  history.replaceState(null, '', '/admin?tab=users&page=3')
  const answers = office([BOB], 50)
  const { person } = show(<UsersTab />, answers)
  await screen.findByText('@bob')
  await person.type(screen.getByRole('searchbox', { name: 'Search users' }), ' BOB ')
  await waitFor(() => expect(new URLSearchParams(location.search).get('search')).toBe('BOB'))
  await person.selectOptions(screen.getByRole('combobox', { name: 'State' }), 'Active')
  await person.selectOptions(screen.getByRole('combobox', { name: 'Tier' }), 'Free')
  await person.selectOptions(screen.getByRole('combobox', { name: 'Order' }), 'Last seen first')
  const first = { search: 'BOB', page: 1, sort: 'joined' }
  expect(questions(answers)).toEqual([
    { search: '', page: 3, sort: 'joined' },
    first,
    { ...first, state: 'active' },
    { ...first, state: 'active', tier: 'free' },
    { ...first, state: 'active', tier: 'free', sort: 'seen' },
  ])
  expect(location.search).toBe('?tab=users&search=BOB&state=active&tier=free&sort=seen')
})

test('A reload asks for what the address says and stays there, and the pages lead on', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  try {
    history.replaceState(null, '', '/admin?search=bo&state=inactive&page=2')
    const answers = office([BOB], 41)
    const { person } = show(<UsersTab />, answers)
    expect(await screen.findByText('21 to 40 of 41')).toBeTruthy()
    // Nobody has typed: what the field shows is not a new search.
    await act(() => vi.advanceTimersByTimeAsync(1000))
    expect(questions(answers)).toEqual([{ search: 'bo', state: 'inactive', page: 2, sort: 'joined' }])
    expect(screen.getByRole('searchbox')).toHaveProperty('value', 'bo')
    await person.click(await button('Next'))
    expect(await screen.findByText('41 to 41 of 41')).toBeTruthy()
    expect(await button('Next')).toHaveProperty('disabled', true)
    await person.click(await button('Previous'))
    expect(await screen.findByText('21 to 40 of 41')).toBeTruthy()
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  ['', 0, 'No users found'],
  ['?page=9', 41, 'Nothing here of 41'],
])('At “%s” without anybody of %i it says “%s”', async (search, total, words) => {
  history.replaceState(null, '', `/admin${search}`)
  show(<UsersTab />, office([], total))
  expect(await screen.findByText(words)).toBeTruthy()
  expect(screen.queryByRole('list', { name: 'Users' })).toBeNull()
})

test('Accounts that cannot be loaded say why and are asked for again; those that are shown stay and may be out of date', async () => {
  const answers = office()
  answers.on(adminApi.users, offline)
  const { person } = show(<UsersTab />, answers)
  expect((await screen.findByRole('alert')).textContent).toBe('The users could not be loaded. You are offline')
  answers.on(adminApi.users, () => ({ users: [BOB], total: 1 }))
  await person.click(await button('Try again'))
  expect(await screen.findByText('@bob')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
  answers.on(adminApi.users, offline)
  await person.selectOptions(screen.getByRole('combobox', { name: 'Order' }), 'By name')
  expect((await screen.findByRole('alert')).textContent).toBe('The users may be out of date. You are offline')
  expect(screen.getByText('@bob')).toBeTruthy()
})

test('Of two answers under way that of the newest question is shown, in whatever order they come', async () => {
  const answers = office()
  const { person } = show(<UsersTab />, answers)
  await screen.findByText('@bob')
  const slow = held<{ users: AdminUser[]; total: number }>()
  answers.on(adminApi.users, ({ state }) => (state === 'inactive' ? slow.promise : { users: [CAROL], total: 1 }))
  await person.selectOptions(screen.getByRole('combobox', { name: 'State' }), 'Inactive')
  await person.selectOptions(screen.getByRole('combobox', { name: 'State' }), 'Administrators')
  expect(await screen.findByText('@carol')).toBeTruthy()
  slow.answer({ users: [BOB], total: 1 })
  await act(async () => undefined)
  expect(screen.getByRole('list', { name: 'Users' }).getAttribute('aria-busy')).toBe('false')
  expect(screen.queryByText('@bob')).toBeNull()
})

test('An act is sent once however often it is pressed, shows what the server answers, and says so', async () => {
  const answers = office([{ ...BOB, isActive: false }])
  const slow = held<AdminUser>()
  answers.on(adminApi.reactivate, () => slow.promise)
  const { person } = show(<UsersTab />, answers)
  const unblock = await button('Unblock @bob')
  await person.dblClick(unblock)
  // Meanwhile nothing else can be done to anybody.
  for (const name of ['Reset the usage of @bob', '+Admin: make an administrator of @bob', 'Unblock @bob'])
    expect(screen.getByRole('button', { name })).toHaveProperty('disabled', true)
  // The list is asked for again, but its answer is still on its way.
  answers.on(adminApi.users, () => new Promise(() => undefined))
  slow.answer(BOB)
  expect(await button('Block @bob')).toBeTruthy()
  expect(lineOf('@bob').getByText('Active')).toBeTruthy()
  expect(toasts()).toEqual(['User reactivated: @bob can sign in again.'])
  expect(puts(answers)).toEqual([{ path: 'PUT /api/admin/users/:id/reactivate', input: { id: BOB.id } }])
  await waitFor(() => expect(questions(answers)).toHaveLength(2))
})

test('Counters are set to 0 once that is answered, because what was counted is kept nowhere', async () => {
  const answers = office()
  answers.on(adminApi.resetUsage, () => BOB)
  const { person } = show(<UsersTab />, answers)
  await person.click(await button('Reset the usage of @bob'))
  const dialog = await screen.findByRole('alertdialog', { name: 'Set the counters of @bob to 0?' })
  expect(puts(answers)).toEqual([])
  await person.click(within(dialog).getByRole('button', { name: 'Reset' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(puts(answers)).toEqual([{ path: 'PUT /api/admin/users/:id/reset-usage', input: { id: BOB.id } }])
  expect(toasts()).toEqual(['Usage reset: The counters of @bob are at 0.'])
})

test('A block is asked about first, Cancel leaves the account alone, and a refusal names its reason', async () => {
  const answers = office()
  answers.on(adminApi.deactivate, () => {
    throw refused(409, 'last_administrator', 'The last administrator cannot be demoted, blocked or deleted')
  })
  const { person } = show(<UsersTab />, answers)
  await person.click(await button('Block @bob'))
  const dialog = await screen.findByRole('alertdialog', { name: 'Block @bob?' })
  expect(dialog.textContent).toContain('Every session ends at once')
  await person.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  expect(puts(answers)).toEqual([])
  await person.click(await button('Block @bob'))
  await person.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Block' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(toasts()).toEqual(['Failed to deactivate user: The last administrator cannot be demoted, blocked or deleted'])
  expect(lineOf('@bob').getByText('Active')).toBeTruthy()
  answers.on(adminApi.deactivate, () => ({ ...BOB, isActive: false }))
  answers.on(adminApi.users, () => ({ users: [{ ...BOB, isActive: false }], total: 1 }))
  await person.click(await button('Block @bob'))
  await person.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Block' }))
  expect(await button('Unblock @bob')).toBeTruthy()
  expect(toasts()).toContain('User deactivated: @bob is signed out everywhere.')
})

test.each<[Tier, string, string, string, string]>([
  ['free', 'Premium', 'Give @bob Premium?', 'It begins now, costs them nothing and has no end.', 'Give the plan'],
  ['premium', 'Free', 'Move @bob to Free?', 'no card is billed for it again. ', 'Change the plan'],
  ['premium', 'Enterprise', 'Move @bob to Enterprise?', 'What was given ends now', 'Change the plan'],
  ['test', 'Free', 'Move @bob to Free?', 'Test comes from payments or the command line', 'Change the plan'],
  ['master', 'Enterprise', 'Move @bob to Enterprise?', 'The family circle loses its rights.', 'Change the plan'],
])('A plan moves from %s to %s only once “%s” is answered', async (from, to, title, text, action) => {
  const answers = office([{ ...BOB, subscriptionTier: from }])
  const granted = to.toLowerCase() as Tier
  answers.on(adminApi.setTier, ({ tier }) => ({ ...BOB, subscriptionTier: tier }))
  const { person } = show(<UsersTab />, answers)
  const tier = await screen.findByRole('combobox', { name: 'Tier of @bob' })
  await person.selectOptions(tier, to)
  const dialog = await screen.findByRole('alertdialog', { name: title })
  expect(dialog.textContent).toContain(text)
  expect(puts(answers)).toEqual([])
  expect(tier).toHaveProperty('value', from)
  answers.on(adminApi.users, () => ({ users: [{ ...BOB, subscriptionTier: granted }], total: 1 }))
  await person.click(within(dialog).getByRole('button', { name: action }))
  await waitFor(() => expect(tier).toHaveProperty('value', granted))
  expect(puts(answers).map(({ input }) => input)).toEqual([{ id: BOB.id, tier: granted }])
  expect(toasts()).toEqual([`Subscription updated: @bob is on ${to} now.`])
})

test('Rights are given after the password: an empty or a wrong one stays at its field, the right one goes on once', async () => {
  const answers = office()
  let isConfirmed = false
  answers.on(adminApi.makeAdmin, () => {
    if (!isConfirmed) throw refused(401, 'step_up_required', 'Confirm that it is you')
    return { ...BOB, isAdmin: true }
  })
  answers.on(accountApi.salt, () => ({ salt: btoa('sixteen bytes ok') }))
  answers.on(stepUpApi.confirm, () => {
    throw refused(401, 'invalid_credentials', 'The password is wrong')
  })
  accountStore.setState({ user: ADA })
  const { person } = show(<UsersTab />, answers, { crypto: createCore() })
  await person.click(await button(/^[+]Admin/))
  const dialog = await screen.findByRole('dialog', { name: 'Confirm that it is you' })
  await person.click(within(dialog).getByRole('button', { name: 'Confirm' }))
  expect(within(dialog).getByText('Password is required')).toBeTruthy()
  const field = within(dialog).getByLabelText('Password')
  await person.type(field, 'wrong')
  expect(within(dialog).queryByText('Password is required')).toBeNull()
  await person.keyboard('{Enter}')
  expect(await within(dialog).findByText('The password is wrong')).toBeTruthy()
  expect(field).toHaveProperty('value', 'wrong')
  answers.on(stepUpApi.confirm, () => {
    isConfirmed = true
    return { until: '2026-11-26T10:05:00.000Z' }
  })
  answers.on(adminApi.users, () => ({ users: [{ ...BOB, isAdmin: true }], total: 1 }))
  await person.click(within(dialog).getByRole('button', { name: 'Confirm' }))
  expect(await button(/^-Admin/)).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(toasts()).toEqual(['Admin privileges granted: The user has been promoted to administrator.'])
  // What was typed has left the page only as what was made of it.
  expect(JSON.stringify(answers.asked)).not.toContain('wrong')
})

test('Who signs in by a passkey beside the password confirms by the passkey: no password is asked for', async () => {
  const answers = office()
  answers.on(adminApi.deactivate, () => {
    throw refused(401, 'step_up_required', 'Confirm that it is you')
  })
  answers.on(stepUpApi.options, () => ({ challenge: 'AAAA', ids: [] }))
  accountStore.setState({ user: { ...ADA, biometricEnabled: true } })
  const { person } = show(<UsersTab />, answers)
  await person.click(await button(/^Block/))
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Block' }))
  const dialog = await screen.findByRole('dialog', { name: 'Confirm that it is you' })
  expect(within(dialog).queryByLabelText('Password')).toBeNull()
  await person.click(within(dialog).getByRole('button', { name: 'Use a passkey' }))
  expect((await within(dialog).findByRole('alert')).textContent).toContain('None of your passkeys works at')
})

test('Without the confirmation nothing is taken, and nothing is said to have failed', async () => {
  const answers = office([{ ...BOB, isAdmin: true }])
  answers.on(adminApi.removeAdmin, () => {
    throw refused(401, 'step_up_required', 'Confirm that it is you')
  })
  const { person } = show(<UsersTab />, answers)
  await person.click(await button(/^-Admin/))
  const question = await screen.findByRole('alertdialog', { name: 'Take @bob’s administrator rights?' })
  await person.click(within(question).getByRole('button', { name: 'Take the rights' }))
  const dialog = await screen.findByRole('dialog', { name: 'Confirm that it is you' })
  await person.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(await button(/^-Admin/)).toHaveProperty('disabled', false)
  expect(toasts()).toEqual([])
})

test('The dashboard opens at the tab of the address, keeps the chosen one there, and is shut to who is no administrator', async () => {
  history.replaceState(null, '', '/admin?tab=nowhere')
  const answers = office()
  answers.on(adminApi.subscriptionStats, () => ({ free: 3, test: 0, premium: 2, master: 1, enterprise: 0, total: 6 }))
  const onBack = vi.fn()
  const { person, again } = show(<AdminPage user={ADA} onBack={onBack} />, answers)
  expect(await screen.findByText('@bob')).toBeTruthy()
  expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Users')
  await person.click(screen.getByRole('tab', { name: 'Subscriptions' }))
  expect(await screen.findByText('Premium users')).toBeTruthy()
  expect(location.search).toBe('?tab=subscriptions')
  again(<AdminPage user={{ ...ADA, isAdmin: false }} onBack={onBack} />)
  expect(screen.getByRole('heading', { name: 'Access Denied' })).toBeTruthy()
  expect(screen.queryByText('Premium users')).toBeNull()
  await person.click(await button('Go Back'))
  expect(onBack).toHaveBeenCalledOnce()
})

test('A server without an administrator says how the first one is made, with the command to copy; any other says nothing', async () => {
  const answers = makeAnswers()
  answers.on(adminApi.first, () => ({ hasAdministrator: false }))
  const { person } = show(<FirstAdministrator user={ADA} onClose={() => undefined} />, answers)
  const dialog = await screen.findByRole('dialog', { name: 'No administrator yet' })
  expect(within(dialog).getByText('npm run account -- make-admin Ada')).toBeTruthy()
  await person.click(within(dialog).getByRole('button', { name: 'Copy the command' }))
  expect(await within(dialog).findByRole('button', { name: 'Copied' })).toBeTruthy()
  expect(await navigator.clipboard.readText()).toBe('npm run account -- make-admin Ada')
})

test.each([
  ['that has one', () => ({ hasAdministrator: true })],
  ['that cannot be asked', offline],
])('A server %s says nothing of how the first administrator is made', async (_, answer) => {
  const answers = makeAnswers()
  answers.on(adminApi.first, answer)
  show(<FirstAdministrator user={ADA} onClose={() => undefined} />, answers)
  await waitFor(() => expect(answers.asked).toHaveLength(1))
  await act(async () => undefined)
  expect(screen.queryByRole('dialog')).toBeNull()
})
