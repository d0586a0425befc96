// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { type Held, openedStore } from './openedFiles.ts'
import { Player } from './Player.tsx'
import { useOpened } from './useOpened.tsx'

openScreen()
beforeEach(() => {
  let urls = 0
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => `blob:${urls++}`)
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => undefined)
  roomsStore.setState({ rooms: new Map([['other', { id: 'other' } as never]]) })
})
afterEach(() => {
  cleanup()
  openedStore.setState({ urls: new Map(), parts: {} })
  resetRooms()
  vi.restoreAllMocks()
})

const read = vi.fn(async () => ({ size: 90 * 1024 * 1024 }) as Blob)
const held = (object: string): Held => ({
  ...{ chatRoomId: 'room', read },
  file: {
    ...{ type: 'file', as: 'file', object, storedBytes: 4096, key: '', hash: '', name: 'plan.pdf' },
    ...{ mediaType: 'application/pdf', sizeBytes: 36, caption: '' },
  },
})

function Shown({ held }: { held: Held }) {
  const { url } = useOpened(held, true)
  return <i>{url ? 'there' : 'on its way'}</i>
}
const opened = () => [...openedStore.getState().urls.keys()]

test('What is on the screen stays open, however large, and is fetched once; what has left it goes, oldest first', async () => {
  read.mockClear()
  const all = ['a', 'b', 'c', 'd'].map((object) => <Shown key={object} held={held(object)} />)
  const { again } = show(all, makeAnswers())
  await waitFor(() => expect(screen.getAllByText('there')).toHaveLength(4))
  expect(read).toHaveBeenCalledTimes(4)
  expect(opened()).toEqual(['a', 'b', 'c', 'd'])
  again(all.slice(1))
  expect(opened()).toEqual(['b', 'c', 'd'])
  expect(URL.revokeObjectURL).toHaveBeenCalledExactlyOnceWith('blob:0')
  again(null)
  expect(opened()).toEqual(['c', 'd'])
})

test('What two parts of the page open at the same time is one address: a second one would stop what plays', async () => {
  show([<Shown key="1" held={held('a')} />, <Shown key="2" held={held('a')} />], makeAnswers())
  await waitFor(() => expect(screen.getAllByText('there')).toHaveLength(2))
  expect(URL.createObjectURL).toHaveBeenCalledOnce()
})

test('A player that is drawn anew keeps its file open, although nobody has pressed it again', async () => {
  const { again } = show(<Shown held={held('a')} />, makeAnswers())
  await waitFor(() => expect(opened()).toEqual(['a']))
  const player = <Player key="a" held={held('a')} look="audio" />
  again(player)
  const others = ['b', 'c'].map((object) => <Shown key={object} held={held(object)} />)
  again([player, ...others])
  await waitFor(() => expect(screen.getAllByText('there')).toHaveLength(2))
  expect(opened()).toEqual(['a', 'b', 'c'])
  again(others)
  expect(opened()).toEqual(['b', 'c'])
})
