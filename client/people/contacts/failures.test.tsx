// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { usePasswordForm } from '../../chat/chatlocks/usePasswordForm.tsx'
import { ChatHeader } from '../../chat/messages/ChatHeader.tsx'
import { clearChat } from '../../chat/messages/clear.ts'
import { makeAnswers, openScreen, refused, show, toasts } from '../../testing/screen.tsx'
import { shownBob as bob, shownRoom as room } from '../../testing/shown.ts'
import { PasswordField } from '../../ui/Field.tsx'
import { actStore } from './acts.ts'
import { ClearChat } from './ClearChat.tsx'
import { RowMenu } from './RowMenu.tsx'

vi.mock('../../chat/messages/clear.ts', () => ({ clearChat: vi.fn() }))

openScreen()

const ignore = () => undefined

function Form({ work }: { work: () => Promise<void> }) {
  const { form, field, submit } = usePasswordForm('Failed to set chat password', work)
  return (
    <form ref={form} onSubmit={submit}>
      <PasswordField label="Chat password" {...field('next')} />
    </form>
  )
}

test.each([
  [refused(500, 'internal', 'Something went wrong'), 'Error: Something went wrong', null],
  [new TypeError('a mistake'), 'Error: Failed to set chat password', null],
  [refused(400, 'invalid_input', 'Chat password must be at least 6 characters'), undefined, 'true'],
])('A chat password that is not set: %s is a toast, unless what was typed is to blame', async (error, toast, isInvalid) => {
  vi.stubGlobal('reportError', vi.fn())
  const { person } = show(
    <Form
      work={async () => {
        throw error
      }}
    />,
    makeAnswers(),
  )
  const field = screen.getByLabelText('Chat password')
  await person.type(field, 'pears{Enter}')
  if (toast) await waitFor(() => expect(toasts()).toEqual([toast]))
  else await screen.findByText('Chat password must be at least 6 characters')
  expect(field.getAttribute('aria-invalid')).toBe(isInvalid)
  expect(field).toHaveProperty('value', 'pears')
  vi.unstubAllGlobals()
})

test('A chat that could not be cleared says “Error” with the server’s words, or with the specification’s', async () => {
  vi.stubGlobal('reportError', vi.fn())
  const { person } = show(<ClearChat room={room} person={bob} onClose={ignore} />, makeAnswers())
  const press = async () => person.click(await screen.findByRole('button', { name: 'Clear chat' }))
  vi.mocked(clearChat).mockRejectedValueOnce(refused(503, 'internal', 'The server cannot be reached'))
  await press()
  await waitFor(() => expect(toasts()).toEqual(['Error: The server cannot be reached']))
  vi.mocked(clearChat).mockRejectedValueOnce(new TypeError('a mistake'))
  await press()
  await waitFor(() => expect(toasts()).toContain('Error: Failed to clear chat history'))
  vi.unstubAllGlobals()
})

test('The header of a chat has a menu, by keyboard too, with the chat password and clearing in it', async () => {
  const onMenu = vi.fn()
  const header = {
    room,
    person: bob,
    hasRoomKeys: true,
    onBack: ignore,
    onDetails: ignore,
    onMenu,
    onFind: undefined,
    onDay: undefined,
  }
  const { person, again } = show(<ChatHeader {...header} />, makeAnswers())
  act(() => screen.getByRole('button', { name: 'More' }).focus())
  await person.keyboard('{Enter}')
  expect(onMenu).toHaveBeenCalledExactlyOnceWith({ x: expect.any(Number), y: expect.any(Number) })
  again(<RowMenu chat={{ room, person: bob }} at={{ x: 0, y: 0 }} onOpen={ignore} onClose={ignore} />)
  const items = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)
  for (const words of ['Set chat password', 'Clear chat']) expect(items).toContain(words)
  await person.click(screen.getByRole('menuitem', { name: 'Set chat password' }))
  again(<p>closed</p>)
  await waitFor(() => expect(actStore.getState().asked).toMatchObject({ act: 'set_password', chatRoomId: room.id }))
})
