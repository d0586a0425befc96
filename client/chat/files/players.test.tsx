// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { FileContent } from '../../../contract/chat/content.ts'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { FileBody } from './FileBody.tsx'
import { openedStore } from './openedFiles.ts'
import { uploadsStore } from './uploadsState.ts'
import { barsOf } from './Wave.tsx'

openScreen()
const plays = vi.fn(async () => undefined)
beforeEach(() => {
  plays.mockClear()
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(plays)
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = () => undefined
      disconnect = () => undefined
    },
  )
  roomsStore.setState({ rooms: new Map([['other', { id: 'other' } as never]]) })
})
afterEach(() => {
  // What is still shown would open its file again.
  cleanup()
  openedStore.setState({ urls: new Map(), parts: {} })
  uploadsStore.setState({ uploads: [] })
  resetRooms()
  vi.unstubAllGlobals()
})

const JPEG = '/9j/4AAQSkZJRgABAQAAAQABAAD/wAARCABaAKADASIAAhEBAxEB'

function bubble(id: string, about: Partial<FileContent>, isMine = false) {
  const file: FileContent = {
    ...{ type: 'file', as: 'file', object: `object ${id}`, storedBytes: 4096, key: '', hash: '', name: 'film.mp4' },
    ...{ mediaType: 'video/mp4', sizeBytes: 2048, caption: '', ...about },
  }
  return (
    <FileBody
      key={id}
      body={{ file, chatRoomId: 'room', text: file.caption }}
      message={{ id, seq: 1, isMine }}
      marks={undefined}
      meta={<time>10:00</time>}
      Words={({ text }) => text}
    />
  )
}
const voice = (id: string) =>
  bubble(id, { as: 'audio', mediaType: 'audio/webm', name: '', voice: { seconds: 50, peaks: 'AAEC' } })

function opens(shown: ReactNode, words = 'a film') {
  const openFile = vi.fn(async (_: { content: { object: string } }) => new Blob([words]))
  return { ...show(shown, makeAnswers(), { crypto: { openFile } as never }), openFile }
}

test('A video has its poster, length and size; a press plays it in its place, and M mutes', async () => {
  const picture = { width: 1600, height: 900, thumbnail: JPEG }
  const { person, openFile } = opens(bubble('v', { picture, seconds: 50.4 }))
  await screen.findByRole('button', { name: 'Play film.mp4' })
  expect(document.querySelector('.att-video img')?.getAttribute('src')).toContain(JPEG)
  expect(screen.getByText('0:50 · 2.0 KB')).toBeTruthy()
  const frame = document.querySelector<HTMLElement>('.att-video')
  const before = frame?.style.aspectRatio
  expect(before).toBe('340 / 191')
  expect(openFile).not.toHaveBeenCalled()
  await person.click(screen.getByRole('button', { name: 'Play film.mp4' }))
  const player = await screen.findByLabelText<HTMLVideoElement>('film.mp4')
  expect(frame?.style.aspectRatio).toBe(before)
  fireEvent.keyDown(player, { key: 'm' })
  expect(player.muted).toBe(true)
  fireEvent.keyDown(player, { key: 'm' })
  expect(player.muted).toBe(false)
})

test('A video is saved from its bubble, unplayed too, and where this browser cannot play it', async () => {
  const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  const { person } = opens(bubble('v', {}))
  await person.click(await screen.findByRole('button', { name: 'Save film.mp4' }))
  await waitFor(() => expect(saved).toHaveBeenCalledOnce())
  expect(document.querySelector('video')).toBeNull()
  await person.click(screen.getByRole('button', { name: 'Play film.mp4' }))
  fireEvent.error(await screen.findByLabelText('film.mp4'))
  expect(screen.getByText('This browser cannot play it.')).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(saved).toHaveBeenCalledTimes(2))
})

test('On its way a video has its poster, and nothing to play yet', () => {
  opens(bubble('v', { object: '' }, true))
  expect(document.querySelector('.att-video')).toBeTruthy()
  expect(screen.queryAllByRole('button')).toEqual([])
})

test('The next voice message follows by itself, at the same speed; the last ends', async () => {
  const { person, openFile } = opens(
    <>
      {voice('a')}
      {bubble('b', { name: 'plan.pdf', mediaType: 'application/pdf' })}
      {voice('c')}
    </>,
  )
  await waitFor(() => expect(document.querySelectorAll('.att-voice')).toHaveLength(2))
  const [first, second] = [...document.querySelectorAll<HTMLElement>('.att-voice')] as [HTMLElement, HTMLElement]
  await person.click(within(first).getByRole('button', { name: 'Speed 1' }))
  await person.click(within(first).getByRole('button', { name: 'Play voice message' }))
  await waitFor(() => expect(plays).toHaveBeenCalledTimes(1))
  expect(openFile).toHaveBeenCalledTimes(1)
  fireEvent.ended(first.querySelector('audio') as HTMLAudioElement)
  await waitFor(() => expect(plays).toHaveBeenCalledTimes(2))
  expect(plays.mock.contexts[1]).toBe(second.querySelector('audio'))
  within(second).getByRole('button', { name: 'Speed 1.5' })
  fireEvent.ended(second.querySelector('audio') as HTMLAudioElement)
  expect(plays).toHaveBeenCalledTimes(2)
  expect(openFile).toHaveBeenCalledTimes(2)
})

test('Bars are the loudest of each part, however many there is room for', () => {
  expect(barsOf([1, 9, 3, 4], 2)).toEqual([9, 4])
  expect(barsOf([1, 9], 4)).toEqual([1, 1, 9, 9])
  expect(barsOf([], 2)).toEqual([0, 0])
})
