// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { navigate } from 'wouter/use-browser-location'
import { contactsApi } from '../../contract/chat/contacts.ts'
import { askAct } from '../people/contacts/acts.ts'
import { ContactActs } from '../people/contacts/ContactActs.tsx'
import { putRooms, resetRooms } from '../rooms/list/roomList.ts'
import { putPeople, resetPeople } from '../rooms/trust/people.ts'
import { makeAnswers, openScreen, show } from '../testing/screen.tsx'
import { BOB_ID, ROOM_ID, shownBob, shownRoom } from '../testing/shown.ts'
import { Toasts } from '../ui/Toasts.tsx'
import { showToast } from '../ui/toast.ts'
import { followBack } from './backKey.ts'
import { leaveChat } from './leaveChat.ts'

openScreen()
let stop = (): void => undefined
beforeEach(() => {
  navigate('/')
  stop = followBack()
  putPeople([shownBob])
  putRooms([{ ...shownRoom, direct: { ...shownRoom.direct, contactId: BOB_ID, state: 'pending' } }])
})
afterEach(() => {
  stop()
  resetRooms()
  resetPeople()
})

const undo = () => screen.queryByRole('button', { name: 'Undo' })

test('On a phone, where the chat is left by a step back that comes later, a block can be taken back', async () => {
  navigate(`/chat/${ROOM_ID}`)
  const { go } = history
  let leaves = (): void => undefined
  const asked = vi.spyOn(history, 'go').mockImplementation((by) => {
    leaves = () => go.call(history, by)
  })
  const answers = makeAnswers()
  answers.on(contactsApi.block, () => ({ success: true }) as never)
  const { person } = show(
    <>
      <ContactActs onGone={() => leaveChat(true)} />
      <Toasts />
    </>,
    answers,
    { crypto: { noteBlock: async () => undefined, sealBook: async () => null } as never },
  )
  act(() => askAct('block', ROOM_ID))
  await person.click(await screen.findByRole('button', { name: 'Block' }))
  await waitFor(() => expect(asked).toHaveBeenCalledOnce())
  act(leaves)
  expect(location.pathname).toBe('/')
  await waitFor(() => expect(undo()).toBeTruthy())
})

test('Another screen drops what is told and done with, and keeps what can be taken back; the next act drops that too', async () => {
  const { person } = show(
    <>
      <button type="button">Something else</button>
      <Toasts />
    </>,
    makeAnswers(),
  )
  act(() => showToast({ tone: 'plain', title: 'Copied', text: 'The link' }))
  await screen.findByText('Copied')
  act(() => navigate('/settings'))
  expect(screen.queryByText('Copied')).toBeNull()
  act(() => showToast({ tone: 'plain', title: 'Request ignored', text: '', action: { words: 'Undo', run: vi.fn() } }))
  act(() => navigate('/'))
  expect(undo()).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Something else' }))
  expect(undo()).toBeNull()
})
