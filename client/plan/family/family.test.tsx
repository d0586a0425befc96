// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { familyApi, type Invitation } from '../../../contract/account/family.ts'
import { held, makeAnswers, openScreen, refused, show, toasts } from '../../testing/screen.tsx'
import { InvitedBy } from './InvitedBy.tsx'
import { InviteForm } from './InviteForm.tsx'
import { LinkDialog } from './LinkDialog.tsx'

openScreen()
beforeEach(() => history.replaceState(null, '', `/invitation/${TOKEN}`))

const TOKEN = 'A'.repeat(32)
const ID = '9d3c7a52-0f51-4a7e-9e0b-1c6f3f5d0b01'
const invitation: Invitation = {
  ...{ id: ID, masterUserId: ID, inviteeEmail: 'bob@example.org', inviteeUsername: 'bob', invitationToken: TOKEN },
  ...{ status: 'pending', expiresAt: '2026-12-03T10:00:00.000Z', createdAt: '2026-11-26T10:00:00.000Z', acceptedAt: null },
  ...{ mail: 'sent', mailedAt: '2026-11-26T10:00:00.000Z' },
}
const button = (name: string) => screen.findByRole('button', { name })
const invites = (answers: ReturnType<typeof makeAnswers>, more = {}) => {
  const onInvited = vi.fn()
  return { onInvited, ...show(<InviteForm members={1} slots={4} sendsMail onInvited={onInvited} {...more} />, answers) }
}

test('An invitation for nobody is not sent: each field says what is missing, and the first one has the focus', async () => {
  const answers = makeAnswers()
  const { person } = invites(answers)
  await person.click(await button('Send Invitation'))
  expect(toasts()).toEqual([])
  for (const words of ['Please enter a valid email', 'Username must be at least 3 characters'])
    expect(screen.getByText(words)).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByLabelText('Email Address'))
  await person.type(screen.getByLabelText('Email Address'), 'bob@example.org')
  expect(screen.queryByText('Please enter a valid email')).toBeNull()
  await person.type(screen.getByLabelText('Preferred Username'), 'bo{Enter}')
  expect(document.activeElement).toBe(screen.getByLabelText('Preferred Username'))
  expect(answers.asked).toEqual([])
})

test.each([
  ['sent', 'Invitation Sent'],
  ['failed', 'Invitation Created'],
] as const)('An invitation whose mail is %s goes out once, empties the form and says “%s”', async (mail, title) => {
  const answers = makeAnswers()
  const slow = held<Invitation>()
  answers.on(familyApi.invite, () => slow.promise)
  const { onInvited, person } = invites(answers)
  await person.type(screen.getByLabelText('Email Address'), 'bob@example.org')
  await person.type(screen.getByLabelText('Preferred Username'), 'bob')
  await person.dblClick(await button('Send Invitation'))
  slow.answer({ ...invitation, mail })
  await waitFor(() => expect(onInvited).toHaveBeenCalledExactlyOnceWith({ ...invitation, mail }))
  expect(toasts()).toEqual([`${title}: Family circle invitation has been created successfully.`])
  expect(screen.getByLabelText('Email Address')).toHaveProperty('value', '')
  expect(answers.asked.map(({ input }) => input)).toEqual([{ inviteeEmail: 'bob@example.org', inviteeUsername: 'bob' }])
})

test('Where the server sends no mail, nothing on the form claims to send', async () => {
  const answers = makeAnswers()
  const slow = held<Invitation>()
  answers.on(familyApi.invite, () => slow.promise)
  const { person } = invites(answers, { sendsMail: false })
  await person.type(screen.getByLabelText('Email Address'), 'bob@example.org')
  await person.type(screen.getByLabelText('Preferred Username'), 'bob{Enter}')
  expect(await button('Creating Invitation...')).toBeTruthy()
  await act(async () => slow.answer({ ...invitation, mail: null }))
  expect(await button('Create Invitation')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /send/i })).toBeNull()
})

test('What the server refuses leaves the form with what was typed', async () => {
  const answers = makeAnswers()
  answers.on(familyApi.invite, () => {
    throw refused(429, 'too_many_requests', 'Too many attempts')
  })
  const { onInvited, person } = invites(answers)
  await person.type(screen.getByLabelText('Email Address'), 'bob@example.org')
  await person.type(screen.getByLabelText('Preferred Username'), 'bob{Enter}')
  await waitFor(() => expect(toasts()).toEqual(['Invitation Failed: Too many attempts']))
  expect(screen.getByLabelText('Email Address')).toHaveProperty('value', 'bob@example.org')
  expect(onInvited).not.toHaveBeenCalled()
})

test.each([
  [5, 0, 'Maximum family members reached (5/5)'],
  [3, 0, 'All places are taken by members and pending invitations'],
  [1, 4, 'Ten people have joined'],
])('With %i members and %i places nobody is invited: %s', async (members, slots, words) => {
  invites(makeAnswers(), { members, slots, ...(slots > 0 && { spent: words }) })
  expect(screen.getByRole('status').textContent).toBe(words)
  expect(await button('Send Invitation')).toHaveProperty('disabled', true)
})

test('A mail that did not go out is sent again from the link, which is copied; where that fails it says why', async () => {
  const answers = makeAnswers()
  answers.on(familyApi.mail, () => {
    throw refused(0, 'offline', 'The server cannot be reached')
  })
  const onMailed = vi.fn()
  const open = (mail: 'failed' | 'sent') => (
    <LinkDialog invitation={{ ...invitation, mail }} sendsMail onMailed={onMailed} onClose={() => undefined} />
  )
  const { again, person } = show(open('failed'), answers)
  expect(screen.getByText(/^The mail to bob@example[.]org did not go out/)).toBeTruthy()
  await person.click(await button('Send the mail again'))
  await waitFor(() => expect(toasts()).toEqual(['The mail was not sent: The server cannot be reached']))
  answers.on(familyApi.mail, () => invitation)
  await person.click(await button('Send the mail again'))
  await waitFor(() => expect(onMailed).toHaveBeenCalledExactlyOnceWith(invitation))
  again(open('sent'))
  expect(screen.getByText(/^It was mailed to bob@example[.]org[.]/)).toBeTruthy()
  await person.click(await button('Copy link'))
  expect(await button('Copied')).toBeTruthy()
  expect(await navigator.clipboard.readText()).toBe(`${location.origin}/invitation/${TOKEN}`)
})

test.each([
  [TOKEN, 'This invitation cannot be accepted any more. Ask for a new one. You can sign up without one.'],
  ['cut', 'This invitation does not exist. Look whether the link is whole, or ask for a new one. You can sign up without one.'],
])('At the link %s, which opens nothing, a stranger reads why and signs up without one', async (token, words) => {
  history.replaceState(null, '', `/invitation/${token}`)
  const onUsername = vi.fn()
  const answers = makeAnswers()
  answers.on(familyApi.show, () => {
    throw refused(410, 'invitation_over', 'This invitation cannot be accepted any more. Ask for a new one')
  })
  show(<InvitedBy onUsername={onUsername} />, answers)
  expect(await screen.findByText(words)).toBeTruthy()
})

test('At a link that is open a stranger reads who invites, and the name that was preferred for them is handed to the form', async () => {
  const onUsername = vi.fn()
  const answers = makeAnswers()
  answers.on(familyApi.show, () => ({ inviterName: 'Mia', inviteeUsername: 'bob' }))
  show(<InvitedBy onUsername={onUsername} />, answers)
  expect(screen.getByRole('status').textContent).toBe('Loading the invitation...')
  await screen.findByText('Mia')
  expect(screen.getByRole('status').textContent).toBe(
    'Mia invites you to their family circle. Create an account, or sign in, and join.',
  )
  expect(answers.asked.map(({ input }) => input)).toEqual([{ token: TOKEN }])
  expect(onUsername).toHaveBeenCalledExactlyOnceWith('bob')
})
