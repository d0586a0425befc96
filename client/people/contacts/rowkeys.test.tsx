// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { useRef } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import { marksStore } from '../../rooms/list/marks.ts'
import { type RoomRow, resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { putPeople, resetPeople } from '../../rooms/trust/people.ts'
import { makeAnswers, openScreen, show, touch } from '../../testing/screen.tsx'
import { ALICE_ID, ROOM_ID, shownBob, shownRoom } from '../../testing/shown.ts'
import type { Marks } from '../../worker/crypto.ts'
import { withMark } from '../../worker/messages/marks.ts'
import { actStore, endAct } from './acts.ts'
import { pinnedRows } from './markItems.tsx'
import { RowSwipes } from './RowSwipes.tsx'
import { useRowMenu } from './useRowMenu.tsx'

openScreen()

const notes: RoomRow = { ...shownRoom, id: notesRoomId(ALICE_ID), direct: null, memberIds: [ALICE_ID] }
const request: RoomRow = { ...shownRoom, id: 'request', direct: { ...shownRoom.direct, state: 'pending', hasAnswered: false } }
let marks: Marks = {}
const kept: unknown[] = []

const crypto = {
  ownId: async () => ALICE_ID,
  marks: async () => marks,
  hidingRooms: async () => [],
  outbox: async () => [],
  keepInOutbox: async ({ content }: { content: Parameters<typeof withMark>[1] }) => {
    kept.push(content)
    marks = withMark(marks, content, kept.length)
  },
} as unknown as Env['crypto']

beforeEach(() => {
  marks = {}
  kept.length = 0
  endAct()
  resetRooms()
  resetPeople()
  putPeople([shownBob])
  roomsStore.setState({ rooms: new Map([shownRoom, notes, request].map((room) => [room.id, room])) })
  marksStore.setState({ marks })
})

function List() {
  const area = useRef<HTMLUListElement>(null)
  useRowMenu(area)
  return (
    <ul ref={area}>
      <RowSwipes area={area} />
      {[shownRoom, notes, request].map(({ id }, index) => (
        <li key={id} aria-posinset={index + 1} aria-setsize={3}>
          <a href={`/chat/${id}`} data-room={id}>
            {id}
          </a>
        </li>
      ))}
      <li>
        <a href="/chat/found" data-room={ROOM_ID}>
          found
        </a>
      </li>
    </ul>
  )
}

const row = (name: string) => screen.getByRole('link', { name })

test('P, U and E mark the row with the focus as its menu does, and M asks how long', async () => {
  const { person } = show(<List />, makeAnswers(), { crypto })
  row(ROOM_ID).focus()
  for (const [key, is] of [
    ['p', 'pinned'],
    ['u', 'unread'],
    ['e', 'archived'],
  ] as const) {
    await person.keyboard(key)
    await waitFor(() => expect(kept.at(-1)).toMatchObject({ type: 'mark', room: ROOM_ID, is, on: true }))
  }
  // What is archived leaves the focus to its neighbour.
  row(ROOM_ID).focus()
  await person.keyboard('m')
  await waitFor(() => expect(actStore.getState().asked).toEqual({ act: 'mute', chatRoomId: ROOM_ID }))
  expect(kept).toHaveLength(3)
})

test('A letter with Ctrl or Alt, on a found message or on a request marks nothing; notes are pinned, and neither muted nor unread', async () => {
  const { person } = show(<List />, makeAnswers(), { crypto })
  row('found').focus()
  await person.keyboard('p')
  row('request').focus()
  await person.keyboard('pum')
  row(ROOM_ID).focus()
  await person.keyboard('{Control>}p{/Control}{Alt>}e{/Alt}')
  row(notes.id).focus()
  await person.keyboard('mup')
  await waitFor(() => expect(kept).toMatchObject([{ room: notes.id, is: 'pinned' }]))
  expect(actStore.getState().asked).toBe(null)
})

const third: RoomRow = { ...shownRoom, id: 'third' }
const [first, second] = [ROOM_ID, notes.id]

function pinAll() {
  for (const [index, room] of [first, second, third.id].entries())
    marks = withMark(marks, { type: 'mark', room, is: 'pinned', on: true, at: 0 }, (index + 1) / 10)
  roomsStore.setState({ rooms: new Map([shownRoom, notes, third].map((room) => [room.id, room])) })
  marksStore.setState({ marks })
}
const pins = () => pinnedRows().map(({ id }) => id)

test('Alt, Shift and an arrow move a pinned row, which stays where it is at the end; each entry is a pin that builds of before know', async () => {
  pinAll()
  const { person } = show(<List />, makeAnswers(), { crypto })
  expect(pins()).toEqual([first, second, third.id])
  row(second).focus()
  await person.keyboard('{Alt>}{Shift>}{ArrowUp}{/Shift}{/Alt}')
  await waitFor(() => expect(pins()).toEqual([second, first, third.id]))
  expect(kept).toHaveLength(3)
  await person.keyboard('{Alt>}{Shift>}{ArrowUp}{/Shift}{/Alt}{Alt>}{ArrowDown}{/Alt}')
  row(first).focus()
  await person.keyboard('{Alt>}{Shift>}{ArrowDown}{/Shift}{/Alt}')
  await waitFor(() => expect(pins()).toEqual([second, third.id, first]))
  // The first stays as it is marked.
  expect(kept.slice(3)).toMatchObject([{ room: third.id }, { room: first, is: 'pinned', on: true }])
})

test('A pinned row that is dragged onto another takes its place; what is not pinned, or comes from elsewhere, moves nothing', async () => {
  pinAll()
  show(<List />, makeAnswers(), { crypto })
  const types: string[] = []
  const drag = (name: string, element: Element, carried = types) => {
    const dataTransfer = { types: carried, setData: (type: string) => void types.push(type) }
    const event = Object.assign(new Event(name, { bubbles: true, cancelable: true }), { dataTransfer })
    element.dispatchEvent(event)
    return event.defaultPrevented
  }
  // The listeners come with a file of their own, once a mouse is over the list.
  row(first).dispatchEvent(Object.assign(new Event('pointerover', { bubbles: true }), { pointerType: 'mouse' }))
  await waitFor(() => {
    drag('dragstart', row(first))
    expect(drag('dragover', row(second))).toBe(true)
  })
  expect(row(second).closest('li')?.className).toBe('drop-below')
  expect(drag('dragover', row(second), ['text/uri-list'])).toBe(false)
  drag('dragover', row(second))
  drag('dragleave', row(second))
  expect(row(second).closest('li')?.className).toBe('')
  drag('drop', row(second))
  await waitFor(() => expect(pins()).toEqual([second, first, third.id]))
  drag('dragend', row(first))
  expect(row(second).closest('li')?.className).toBe('')
  expect(drag('dragover', row(second))).toBe(false)
  drag('dragstart', row('request'))
  expect([drag('dragover', row(second)), kept.length]).toEqual([false, 3])
})

/** A finger on a row of 300 px. */
function swipes(element: HTMLElement, right: number, down = 0) {
  const line = element.closest('li') ?? expect.fail()
  Object.defineProperty(line, 'clientWidth', { value: 300, configurable: true })
  touch(element, 'pointerdown', 200)
  for (const part of [0.5, 1]) touch(element, 'pointermove', 200 + part * right, part * down)
  touch(element, 'pointerup', 200 + right, down)
}
const offered = () =>
  screen
    .queryAllByRole('button')
    .map((button) => button.getAttribute('aria-label'))
    .join()

test('A swipe to the left shows Mute and Archive, which a press takes; a touch of the row closes them and opens no chat', async () => {
  const { person } = show(<List />, makeAnswers(), { crypto })
  swipes(row(ROOM_ID), -90)
  expect(await screen.findByRole('button', { name: 'Archive' })).toBeTruthy()
  expect([offered(), row(ROOM_ID).closest('li')?.style.getPropertyValue('--swiped')]).toEqual(['Mute,Archive', '-152px'])
  touch(row(ROOM_ID), 'pointerdown', 60)
  const click = new MouseEvent('click', { bubbles: true, cancelable: true })
  row(ROOM_ID).dispatchEvent(click)
  await waitFor(() => expect(offered()).toBe(''))
  expect(click.defaultPrevented).toBe(true)
  swipes(row(ROOM_ID), -90)
  await person.click(await screen.findByRole('button', { name: 'Archive' }))
  await waitFor(() => expect(kept).toMatchObject([{ room: ROOM_ID, is: 'archived', on: true }]))
  expect([offered(), row(ROOM_ID).closest('li')?.className]).toEqual(['', ''])
  touch(row(ROOM_ID), 'pointerdown', 60)
  const next = new MouseEvent('click', { bubbles: true, cancelable: true })
  row(ROOM_ID).dispatchEvent(next)
  expect(next.defaultPrevented).toBe(false)
})

test('A finger that swipes an open row back, or slides on where a menu has opened, marks nothing', async () => {
  show(<List />, makeAnswers(), { crypto })
  swipes(row(ROOM_ID), -90)
  await screen.findByRole('button', { name: 'Archive' })
  swipes(row(ROOM_ID), 90)
  await waitFor(() => expect(offered()).toBe(''))
  const menu = document.body.appendChild(document.createElement('div'))
  menu.setAttribute('role', 'menu')
  swipes(row(ROOM_ID), 90)
  menu.remove()
  expect(kept).toEqual([])
  swipes(row(ROOM_ID), 90)
  await waitFor(() => expect(kept).toHaveLength(1))
})

test('A swipe over more than half of the row archives, one to the right marks it unread; a short one, one that leads down, a request and a found message do nothing', async () => {
  show(<List />, makeAnswers(), { crypto })
  swipes(row(ROOM_ID), -60)
  swipes(row(ROOM_ID), 60)
  swipes(row(ROOM_ID), -190, 120)
  swipes(row('request'), -190)
  swipes(row('found'), -190)
  swipes(row(notes.id), 190)
  expect([kept, offered()]).toEqual([[], ''])
  swipes(row(ROOM_ID), 90)
  await waitFor(() => expect(kept).toMatchObject([{ room: ROOM_ID, is: 'unread', on: true }]))
  swipes(row(ROOM_ID), -190)
  await waitFor(() => expect(kept.slice(1)).toMatchObject([{ room: ROOM_ID, is: 'archived', on: true }]))
  swipes(row(notes.id), -190)
  await waitFor(() => expect(kept.slice(2)).toMatchObject([{ room: notes.id, is: 'archived', on: true }]))
})
