// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FileContent } from '../../../contract/chat/content.ts'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { png } from '../../testing/pictures.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { openedStore } from './openedFiles.ts'
import { Viewer } from './Viewer.tsx'

openScreen()
beforeEach(() => roomsStore.setState({ rooms: new Map([['other', { id: 'other' } as never]]) }))
afterEach(() => {
  // What is still shown would open its file again.
  cleanup()
  openedStore.setState({ urls: new Map(), parts: {} })
  resetRooms()
})

const message = (seq: number, object: string) => {
  const content: FileContent = {
    ...{ type: 'file', as: 'image', object, storedBytes: 4096, key: '', hash: '', sizeBytes: 1 },
    ...{ name: `${seq}.png`, mediaType: 'image/png', caption: '' },
  }
  return {
    id: `${seq}`,
    chatRoomId: 'room',
    seq,
    senderId: 'eve',
    at: '2026-11-26T10:00:00Z',
    body: { kind: 'content', content },
  }
}

test('Eve names one file in two messages: the viewer walks past both, and back', async () => {
  const all = [message(1, 'a'), message(2, 'b'), message(3, 'b'), message(4, 'c')] as const
  const crypto = {
    page: async ({ after }: { after?: number }) => ({ messages: after === undefined ? [] : all.slice(after), from: 1 }),
    openFile: async () => new Blob([png([10, 10])]),
  }
  const held = { chatRoomId: 'room', file: all[0].body.content }
  const { person } = show(<Viewer held={held} seq={1} onClose={() => undefined} />, makeAnswers(), { crypto: crypto as never })
  await screen.findByText(/1 of 4/)
  for (const at of [2, 3, 4]) {
    await person.keyboard('{ArrowRight}')
    expect(screen.getByRole('dialog', { name: `${at}.png` })).toBeTruthy()
    expect(screen.getByText(new RegExp(`${at} of 4`))).toBeTruthy()
  }
  await person.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}')
  expect(screen.getByRole('dialog', { name: '1.png' })).toBeTruthy()
})
