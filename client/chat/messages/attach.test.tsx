// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { makeAnswers, openScreen, show, toasts } from '../../testing/screen.tsx'
import { ROOM_ID } from '../../testing/shown.ts'
import { toastStore } from '../../ui/toast.ts'
import { sendFiles } from '../files/sendFiles.ts'
import { transferStore } from '../transferline/transferState.ts'
import { Attach } from './Attach.tsx'
import { openReply, replyIn, showReply } from './replies.ts'

vi.mock('../files/sendFiles.ts', () => ({ sendFiles: vi.fn(async () => undefined) }))
vi.mock('../files/sealAhead.ts', () => ({ sealAhead: () => ({ drop: async () => undefined }) }))
vi.mock('../transferline/TransferDialog.tsx', () => ({ TransferDialog: () => null }))

openScreen()

const MIB = 1024 * 1024
const TOAST = 'File Too Large: Please select a file smaller than 10MB'

beforeEach(() => {
  vi.resetAllMocks()
  transferStore.setState({ asked: null })
})

const onWords = vi.fn()
const given = { files: [], isOver: false, taken: () => undefined }
const attach = (hasPlan = true) =>
  show(
    <Attach {...{ chatRoomId: ROOM_ID, hasPlan, given, isBlocked: false }} nextFocus={() => null} onWords={onWords} />,
    makeAnswers(),
  )

function sized(name: string, sizeBytes: number): File {
  const file = new File(['x'], name, { type: name.endsWith('mp4') ? 'video/mp4' : '' })
  Object.defineProperty(file, 'size', { value: sizeBytes })
  return file
}

const action = () => toastStore.getState().queue[0]?.action

test('A caption that was typed for files that are not sent goes into the message, key by key as it stands', async () => {
  const { person } = attach()
  await person.upload(screen.getByLabelText('Files to send'), [sized('notes.pdf', MIB)])
  await screen.findByLabelText('Caption')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Caption')))
  await person.keyboard('by the sea{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(onWords.mock.calls).toEqual([['by the sea']])
})

test('The paper clip offers files, and files that go directly', async () => {
  const { person } = attach()
  await person.click(screen.getByRole('button', { name: 'Attach files' }))
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual([
    ...['Choose files', 'Send directly, up to 100 MB'],
  ])
  await person.click(screen.getByRole('menuitem', { name: 'Send directly, up to 100 MB' }))
  await waitFor(() => expect(transferStore.getState().asked).toEqual({ chatRoomId: ROOM_ID, files: [] }))
})

test('By keyboard two presses of Enter choose files', async () => {
  const { person } = attach()
  const press = vi.spyOn(screen.getByLabelText('Files to send'), 'click')
  act(() => screen.getByRole('button', { name: 'Attach files' }).focus())
  await person.keyboard('{Enter}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('menuitem', { name: 'Choose files' })))
  await person.keyboard('{Enter}')
  await waitFor(() => expect(press).toHaveBeenCalledOnce())
})

test('A file above 10 MB is refused in the specification’s words, and offered directly with the file kept', async () => {
  const { person } = attach()
  const film = sized('film.mp4', 10 * MIB + 1)
  await person.upload(screen.getByLabelText('Files to send'), [film])
  expect(toasts()).toEqual([TOAST])
  expect(action()?.words).toBe('Send directly')
  act(() => action()?.run())
  expect(transferStore.getState().asked).toEqual({ chatRoomId: ROOM_ID, files: [film] })
})

test('What is too large for either way is offered none', async () => {
  const { person } = attach()
  await person.upload(screen.getByLabelText('Files to send'), [sized('film.mp4', 100 * MIB)])
  expect(toasts()).toEqual([TOAST])
  expect(action()).toBeUndefined()
})

test('Beside smaller files, which have their own dialog, the large one is offered directly once they are sent', async () => {
  const { person } = attach()
  const [film, photo] = [sized('film.mp4', 20 * MIB), sized('notes.pdf', MIB)]
  await person.upload(screen.getByLabelText('Files to send'), [film, photo])
  expect(action()).toBeUndefined()
  act(() => toastStore.setState({ queue: [] }))
  await person.click(await screen.findByRole('button', { name: 'Send' }))
  expect(sendFiles).toHaveBeenCalledOnce()
  act(() => action()?.run())
  expect(transferStore.getState().asked?.files).toEqual([film])
})

test('The first file of an act carries the reply, which goes once it is kept; where it is not kept the reply comes back', async () => {
  const quote = { senderId: ROOM_ID, id: ROOM_ID, words: 'Have you got the papers?' }
  const keepReply = vi.fn(async () => undefined)
  const crypto = { readReply: async () => null, keepReply } as never
  const { person, env } = show(
    <Attach {...{ chatRoomId: ROOM_ID, hasPlan: true, given, isBlocked: false }} nextFocus={() => null} onWords={onWords} />,
    makeAnswers(),
    { crypto },
  )
  onTestFinished(openReply(env, ROOM_ID))
  const sends = async () => {
    await person.upload(screen.getByLabelText('Files to send'), [sized('notes.pdf', MIB)])
    await person.click(await screen.findByRole('button', { name: 'Send' }))
  }
  act(() => showReply(ROOM_ID, quote))
  await sends()
  await waitFor(() => expect(vi.mocked(sendFiles)).toHaveBeenCalledOnce())
  expect(vi.mocked(sendFiles).mock.calls[0]?.[4]).toMatchObject({ quote })
  await waitFor(() => expect(replyIn(ROOM_ID)).toEqual(quote))
  expect(keepReply).not.toHaveBeenCalled()
  vi.mocked(sendFiles).mockImplementation(async (_, __, ___, ____, { onKept }) => onKept?.())
  await sends()
  await waitFor(() => expect(keepReply.mock.calls).toEqual([[{ chatRoomId: ROOM_ID, quote: null }]]))
  expect(replyIn(ROOM_ID)).toBe(null)
})
