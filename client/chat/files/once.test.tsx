// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { dropVoices, keepVoice, type Recording } from '../../rooms/list/voicedrafts.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { ROOM_ID } from '../../testing/shown.ts'
import { AttachDialog } from './AttachDialog.tsx'
import { Recorder } from './Recorder.tsx'

openScreen()
beforeEach(dropVoices)

const file = (name: string, type: string) => new File(['x'], name, { type })

test('A choice of pictures opens once; with another file it is not sent until one of both is taken away', async () => {
  const sent = vi.fn(async () => undefined)
  const given = { onRemove: vi.fn(), onMore: vi.fn(), onClose: vi.fn(), nextFocus: () => null, hasReader: true, onSend: sent }
  const pictures = [file('a.png', 'image/png'), file('b.png', 'image/png')]
  const { person, again } = show(<AttachDialog {...given} files={pictures} />, makeAnswers())
  await person.click(screen.getByLabelText('View once'))
  again(<AttachDialog {...given} files={[...pictures, file('c.pdf', 'application/pdf')]} />)
  screen.getByText('Only pictures open once. Leave the other files out, or take the check mark away.')
  const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send' })
  expect(send.disabled).toBe(true)
  again(<AttachDialog {...given} files={pictures} />)
  await person.click(send)
  expect(sent).toHaveBeenCalledExactlyOnceWith(pictures, expect.objectContaining({ isOnce: true }))
})

test('Nobody but oneself: nothing is offered', () => {
  const given = { onRemove: vi.fn(), onMore: vi.fn(), onClose: vi.fn(), nextFocus: () => null, onSend: async () => undefined }
  show(<AttachDialog {...given} files={[file('a.png', 'image/png')]} hasReader={false} />, makeAnswers())
  expect(screen.queryByLabelText('View once')).toBe(null)
})

test('A recording that somebody returns to opens once as before', async () => {
  const sound = new Blob(['x'], { type: 'audio/webm' })
  const said = { pause: async () => sound, end: async () => sound, drop: vi.fn(), seconds: () => 2, levels: () => [9, 9] }
  keepVoice(ROOM_ID, { ...said, resume: async () => undefined } as Recording)
  const sent = vi.fn(async () => undefined)
  const recorder = (key: string) => (
    <Recorder key={key} chatRoomId={ROOM_ID} hasReader heldFrom={undefined} onCancel={vi.fn()} onSend={sent} />
  )
  const { person, again } = show(recorder('first'), makeAnswers())
  await person.click(await screen.findByRole('button', { name: 'View once', pressed: false }))
  again(recorder('second'))
  await screen.findByRole('button', { name: 'View once', pressed: true })
  await person.click(await screen.findByRole('button', { name: 'Send voice message' }))
  expect(sent).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ isOnce: true }))
})
