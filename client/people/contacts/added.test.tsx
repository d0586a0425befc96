// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import { codesApi } from '../../../contract/chat/contactcodes.ts'
import { type Contact, contactsApi } from '../../../contract/chat/contacts.ts'
import { makeAnswers, openScreen, show, toasts } from '../../testing/screen.tsx'
import { CodeCard } from '../contactcodes/CodeCard.tsx'
import { ScanDialog } from '../contactcodes/ScanDialog.tsx'
import { codeStore } from '../contactcodes/store.ts'
import { AddContactDialog } from './AddContactDialog.tsx'

vi.mock('../../rooms/list/loadRooms.ts', () => ({ keepRooms: async () => undefined, reloadRooms: async () => undefined }))

openScreen()
beforeEach(() => codeStore.setState(codeStore.getInitialState(), true))

const ALICE = '0190a8b0-0000-7000-8000-000000000001'
const BOB = '0190a8b0-0000-7000-8000-000000000002'

const bob = (hasAnswered: boolean): Contact => ({
  ...{ id: '7d7d1f6e-7a5a-4d0c-9a6e-0a2f3c9b1d11', userId: ALICE, contactUserId: BOB, displayName: null, isBlocked: false },
  ...{ isPasswordProtected: false, isLocked: false, addedAt: '2026-11-24T12:00:00.000Z', state: 'accepted' },
  contactUser: {
    ...{ displayName: 'Bob Stone', username: 'Bob', profileImageUrl: null, isDeleted: false, isOnline: false, lastSeen: null },
    ...{ onionAddress: null, identityKey: null, manifestVersion: 0 },
  },
  ...{ lastMessage: null, unreadCount: 0, hasUnreadNotifications: false, mutedUntil: null, chatRoomId: `dm_${ALICE}_${BOB}` },
  ...{ hasAnswered, lastSeq: 0, readSeq: 0, clearedSeq: 0, theirDeliveredSeq: 0, theirReadSeq: 0 },
})

const user = { id: ALICE, username: 'alice', displayName: 'Alice' } as User

test.each([
  [false, 'Contact added: The contact has been added successfully.\nRequest sent. @bob has not answered yet.'],
  [true, 'Contact added: The contact has been added successfully.'],
])(
  'Bob is added by a name that is typed; the toast says beneath that he has not answered, unless he has: %s',
  async (hasAnswered, words) => {
    const answers = makeAnswers()
    answers.on(contactsApi.add, () => bob(hasAnswered))
    const { person } = show(<AddContactDialog onClose={() => undefined} />, answers)
    await person.keyboard('@bob{Enter}')
    await waitFor(() => expect(toasts()).toEqual([words]))
  },
)

test('Who chooses “Paste token” types at once; an empty field says what is missing, and a good token adds with the qualifier', async () => {
  const answers = makeAnswers()
  answers.on(codesApi.redeem, () => ({ success: true, displayName: 'Bob Stone', contact: bob(false) }))
  const { person } = show(<ScanDialog user={user} onClose={() => undefined} />, answers)
  await person.click(screen.getByRole('tab', { name: 'Paste token' }))
  await person.keyboard('  {Enter}')
  await waitFor(() => expect(toasts()).toContain('Token Required: Please enter a QR token'))
  expect(answers.asked).toEqual([])
  await person.keyboard('Vd3tT2uL0pQ9rS8wX1yZ4A{Enter}')
  const added = 'Contact added: Bob Stone has been added to your contacts.\nRequest sent. @bob has not answered yet.'
  await waitFor(() => expect(toasts()).toContain(added))
})

test('A code that was just made has six minutes at most, however far this page’s clock is behind; one that is over says so in red', async () => {
  const answers = makeAnswers()
  const valid = { qrToken: 'Vd3tT2uL0pQ9rS8wX1yZ4A', usageCount: 0, maxUsage: null, content: 'code' }
  const at = (expiresAt: Date) =>
    codeStore.setState({ status: 'ready', failure: null, isGenerating: false, code: { ...valid, expiresAt } })
  answers.on(codesApi.current, () => new Promise(() => undefined))
  at(new Date(Date.now() + 6 * 60_000 + 900))
  show(<CodeCard user={user} />, answers)
  expect(screen.getByRole('timer').textContent).toBe('Expires in 6:00')
  at(new Date(Date.now() - 1000))
  expect((await screen.findByText('QR Code Expired')).className).toBe('failed')
})
