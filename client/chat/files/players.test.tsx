// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { FileContent } from '../../../contract/chat/content.ts'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { held, makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { toastStore } from '../../ui/toast.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { callAskStore } from '../callline/askCall.ts'
import { FileBody } from './FileBody.tsx'
import { openedStore } from './openedFiles.ts'
import { uploadsStore } from './uploadsState.ts'
import { barsOf } from './Wave.tsx'

openScreen()
const listened: string[] = []
const plays = vi.fn(async () => undefined)
beforeEach(() => {
  plays.mockClear()
  listened.length = 0
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
  callAskStore.setState({ isInCall: false })
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
      onListened={() => listened.push(id)}
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
  expect(plays.mock.contexts[0]).toBe(first.querySelector('audio'))
  expect(listened).toEqual([])
  fireEvent.play(first.querySelector('audio') as HTMLAudioElement)
  expect(listened).toEqual(['a'])
  // It is in this browser: the server is asked for nothing, and none comes along.
  expect(openFile).toHaveBeenCalledTimes(1)
  fireEvent.ended(first.querySelector('audio') as HTMLAudioElement)
  await waitFor(() => expect(plays).toHaveBeenCalledTimes(2))
  expect(plays.mock.contexts[1]).toBe(second.querySelector('audio'))
  within(second).getByRole('button', { name: 'Speed 1.5' })
  fireEvent.ended(second.querySelector('audio') as HTMLAudioElement)
  expect(plays).toHaveBeenCalledTimes(2)
})

/** Voice messages that the server has, and this browser not yet. */
async function fetches(ids: string[], more: ReactNode, here: (id: string, arrival?: string) => Promise<Blob | undefined>) {
  vi.stubGlobal('fetch', async () => new Response('sealed'))
  const openFile = vi.fn(async ({ content, arrival }: { content: { object: string }; arrival?: string }) =>
    here(content.object.slice(-1), arrival),
  )
  const crypto = { openFile, handIn: async () => undefined } as never
  const { person } = show([...ids.map(voice), more], makeAnswers(), { crypto })
  await waitFor(() => expect(document.querySelectorAll('.att-voice')).toHaveLength(ids.length))
  const asked = (id: string) => openFile.mock.calls.filter(([{ content }]) => content.object === `object ${id}`)
  const press = (at: number) => person.click(screen.getAllByRole('button', { name: 'Play voice message' })[at] as HTMLElement)
  return { person, press, asked, audios: [...document.querySelectorAll('audio')] as HTMLAudioElement[] }
}
const words = async (arrival?: string) => (arrival ? new Blob(['words']) : undefined)

/** Of five voice messages four have come by one press and play to their end; `last` is how this browser answers for the fifth. */
async function ends(last: (arrival?: string) => Promise<Blob | undefined>) {
  const { person, press, asked, audios } = await fetches(['a', 'b', 'c', 'd', 'e'], bubble('v', {}), async (id, arrival) =>
    id === 'e' ? last(arrival) : id === 'v' ? new Blob(['a film']) : words(arrival),
  )
  await press(0)
  for (const [at, audio] of audios.slice(0, 4).entries()) {
    if (at > 0) fireEvent.ended(audios[at - 1] as HTMLAudioElement)
    await waitFor(() => expect(plays).toHaveBeenCalledTimes(at + 1))
    fireEvent.play(audio)
  }
  expect(asked('d')).toHaveLength(2)
  return { person, asked: () => asked('e'), end: () => fireEvent.ended(audios[3] as HTMLAudioElement) }
}

test('The next voice message is not fetched by itself where this browser does not have it', async () => {
  const { asked, end } = await ends(async () => undefined)
  end()
  await waitFor(() => expect(asked()).toHaveLength(1))
  await act(async () => undefined)
  expect(asked().filter(([{ arrival }]) => arrival)).toEqual([])
  expect(plays).toHaveBeenCalledTimes(4)
})

test('What comes along and fails says nothing: nobody has pressed it, and a press asks again', async () => {
  const { press, asked } = await fetches(['a', 'b'], null, async (id, arrival) => {
    if (id === 'b' && arrival) throw new CryptoFailure('file_changed', 'This file was changed')
    return words(arrival)
  })
  await press(0)
  await waitFor(() => expect(asked('b')).toHaveLength(2))
  await waitFor(() => expect(plays).toHaveBeenCalledOnce())
  expect(screen.queryByRole('alert')).toBeNull()
  expect(toastStore.getState().queue).toEqual([])
  await press(1)
  await screen.findByRole('alert')
  expect(asked('b')).toHaveLength(4)
})

test('What is pressed while it comes along plays once it is here, and three below it come too', async () => {
  const { promise, answer } = held<Blob>()
  const { press, asked, audios } = await fetches(['a', 'b', 'c', 'd', 'e'], null, async (id, arrival) =>
    id === 'b' && arrival ? promise : words(arrival),
  )
  await press(0)
  await waitFor(() => expect(asked('d')).toHaveLength(2))
  expect(asked('e')).toEqual([])
  await press(1)
  await waitFor(() => expect(asked('e')).toHaveLength(2))
  answer(new Blob(['words']))
  await waitFor(() => expect(plays.mock.contexts.at(-1)).toBe(audios[1]))
  expect(asked('b')).toHaveLength(2)
})

test.each([
  ['a video', async () => fireEvent.play(await screen.findByLabelText('film.mp4'))],
  ['a call', async () => act(() => callAskStore.setState({ isInCall: true }))],
])('The next voice message does not begin by itself once %s was started', async (_, starts) => {
  const { promise: kept, answer } = held<Blob>()
  const { person, asked, end } = await ends(() => kept)
  await person.click(screen.getByRole('button', { name: 'Play film.mp4' }))
  await screen.findByLabelText('film.mp4')
  end()
  await waitFor(() => expect(asked()).toHaveLength(1))
  await starts()
  answer(new Blob(['words']))
  await waitFor(() => expect(document.querySelectorAll('audio[src]')).toHaveLength(5))
  expect(plays).toHaveBeenCalledTimes(4)
})

/** The first of three plays, the last one is pressed and on its way. */
async function pressesLast(last: () => Promise<Blob>) {
  const openFile = async ({ content }: { content: { object: string } }) =>
    content.object === 'object c' ? last() : new Blob(['words'])
  const { person } = show(['a', 'b', 'c'].map(voice), makeAnswers(), { crypto: { openFile } as never })
  await waitFor(() => expect(document.querySelectorAll('.att-voice')).toHaveLength(3))
  const audios = [...document.querySelectorAll('audio')] as HTMLAudioElement[]
  const buttons = screen.getAllByRole('button', { name: 'Play voice message' }) as HTMLElement[]
  await person.click(buttons[0] as HTMLElement)
  await waitFor(() => expect(plays).toHaveBeenCalledTimes(1))
  fireEvent.play(audios[0] as HTMLElement)
  await person.click(buttons[2] as HTMLElement)
  return { audios, end: () => fireEvent.ended(audios[0] as HTMLElement) }
}

test('What is pressed while another one plays is the next one, also where it comes later', async () => {
  const { promise, answer } = held<Blob>()
  const { audios, end } = await pressesLast(() => promise)
  end()
  answer(new Blob(['words']))
  await waitFor(() => expect(plays.mock.contexts).toEqual([audios[0], audios[2]]))
})

test('What was pressed and cannot be fetched holds up none that follows', async () => {
  const { audios, end } = await pressesLast(() => Promise.reject(new Error('lost')))
  await screen.findByRole('alert')
  end()
  await waitFor(() => expect(plays.mock.contexts).toEqual([audios[0], audios[1]]))
})

test('In a call no voice message follows by itself', async () => {
  const { asked, end } = await ends(async () => new Blob(['words']))
  act(() => callAskStore.setState({ isInCall: true }))
  end()
  expect(asked()).toEqual([])
  expect(plays).toHaveBeenCalledTimes(4)
})

test('Of two voice messages that were pressed before they were here the last one plays', async () => {
  const answers = new Map<string, (words: Blob) => void>()
  const openFile = ({ content }: { content: { object: string } }) =>
    new Promise<Blob>((resolve) => answers.set(content.object, resolve))
  const { person } = show([voice('a'), voice('c')], makeAnswers(), { crypto: { openFile } as never })
  await waitFor(() => expect(document.querySelectorAll('.att-voice')).toHaveLength(2))
  for (const button of screen.getAllByRole('button', { name: 'Play voice message' })) await person.click(button)
  for (const object of ['object c', 'object a']) {
    answers.get(object)?.(new Blob(['words']))
    await waitFor(() => expect(openedStore.getState().urls.has(object)).toBe(true))
  }
  await waitFor(() => expect(document.querySelectorAll('audio[src]')).toHaveLength(2))
  expect(plays.mock.contexts).toEqual([document.querySelectorAll('audio')[1]])
})

test('Bars are the loudest of each part, however many there is room for', () => {
  expect(barsOf([1, 9, 3, 4], 2)).toEqual([9, 4])
  expect(barsOf([1, 9], 4)).toEqual([1, 1, 9, 9])
  expect(barsOf([], 2)).toEqual([0, 0])
})
