// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { putRooms, resetRooms } from '../../rooms/list/roomList.ts'
import { putPeople } from '../../rooms/trust/people.ts'
import { makeAnswers, openScreen, show, toasts } from '../../testing/screen.tsx'
import { ROOM_ID, shownBob, shownRoom } from '../../testing/shown.ts'
import { Storage } from './Storage.tsx'

openScreen()

const MIB = 1024 * 1024
const transfer = (stage: string, sizeBytes: number) => ({
  ...{ chatRoomId: ROOM_ID, isMine: stage === 'offered', isKept: true, stage, have: 0, at: '' },
  content: { type: 'transfer', transferId: 'a', name: 'scans.zip', mediaType: '', sizeBytes, hash: '' },
})

const dropKept = vi.fn(async () => undefined)
const onCleared = vi.fn()
const storage = (rows: object[]) =>
  show(<Storage onCleared={onCleared} />, makeAnswers(), {
    crypto: {
      dropKept,
      keptFiles: async () => ({
        ...{ rooms: [{ chatRoomId: ROOM_ID, files: [{ object: 'a', bytes: 3 * MIB }] }], waitingBytes: 20 * MIB, isOnDisk: true },
      }),
      page: async () => ({ messages: [], from: 1 }),
      transferRows: async () => rows,
    } as never,
  })

beforeEach(() => {
  dropKept.mockClear()
  onCleared.mockClear()
  resetRooms()
  putPeople([shownBob])
  putRooms([shownRoom])
})

test('Files that are offered directly have a line of their own', async () => {
  storage([transfer('offered', 12 * MIB)])
  expect((await screen.findByText('Offered directly, 1 file')).nextElementSibling?.textContent).toBe('12.0 MB')
  expect(screen.getByText('Waiting to be sent').nextElementSibling?.textContent).toBe('8.0 MB')
  expect(screen.getByText('What waits to be sent or received stays.')).toBeTruthy()
})

test('What no server has is deleted by a decision of its own; anything else is cleared at once', async () => {
  const { person } = storage([transfer('done', 3 * MIB)])
  await person.click(await screen.findByRole('button', { name: 'Clear the files of Bob Baker' }))
  await screen.findByRole('alertdialog', { name: 'Delete 1 file for good?' })
  await person.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(dropKept).not.toHaveBeenCalled()
  await person.click(screen.getByRole('button', { name: 'Clear all 3.0 MB' }))
  await person.click(await screen.findByRole('button', { name: 'Delete and clear' }))
  await waitFor(() => expect(dropKept).toHaveBeenCalledExactlyOnceWith([ROOM_ID]))
  await waitFor(() =>
    expect(toasts()).toEqual([
      'Cleared: 3.0 MB. What came directly is deleted. Other files are fetched again when you open them.',
    ]),
  )
  expect(onCleared).toHaveBeenCalledExactlyOnceWith([ROOM_ID])
})

test('Without files of this kind nothing is asked', async () => {
  const { person } = storage([])
  await person.click(await screen.findByRole('button', { name: 'Clear all 3.0 MB' }))
  await waitFor(() => expect(dropKept).toHaveBeenCalledOnce())
})
