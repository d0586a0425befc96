// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Quote } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { type RoomRow, resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { putPeople, resetPeople } from '../../rooms/trust/people.ts'
import { makeAnswers, openScreen, show, touch } from '../../testing/screen.tsx'
import { ALICE_ID, BOB_ID, ROOM_ID, shownBob, shownRoom } from '../../testing/shown.ts'
import { Talk } from '../../testing/talk.tsx'
import { closeStep } from '../../ui/steps.ts'
import { messagesStore, type RoomView, type ShownMessage } from './store.ts'

vi.mock('./Attach.tsx', () => ({ Attach: () => null, loadDialogs: () => undefined }))

openScreen()

const room: RoomRow = shownRoom
const [ASKED_ID, ANSWER_ID] = ['33333333-3333-4333-8333-333333333333', '44444444-4444-4444-8444-444444444444']
const kept: { message: { content: unknown } }[] = []
const replies: (Quote | null)[] = []
const acts: unknown[] = []
let said: { seq: number; words: string } | undefined

const crypto = {
  readDraft: async () => '',
  readReply: async () => null,
  readEdit: async () => null,
  keepReply: async ({ quote }: { quote: Quote | null }) => void replies.push(quote),
  keepDraftText: async () => undefined,
  keepAndSeal: async (input: { message: { content: unknown } }) => {
    kept.push(input)
    return { ...input.message, envelope: null, failure: null, order: 1, isAlone: false }
  },
  keepInOutbox: async ({ content }: { content: unknown }) => void acts.push(content),
  outbox: async () => [],
  page: async () => ({ messages: [], from: 0, cursor: 0, isJoined: true, waitsFor: '' }),
  quoted: async () => ({ from: 1, said }),
} as unknown as Env['crypto']

beforeEach(() => {
  for (const list of [kept, replies, acts]) list.length = 0
  said = { seq: 1, words: 'Shall we meet at nine?' }
  resetRooms()
  resetPeople()
  putPeople([shownBob])
  roomsStore.setState({ rooms: new Map([[ROOM_ID, room]]) })
  messagesStore.setState({ open: { chatRoomId: ROOM_ID, messages: [], status: 'ready' } as unknown as RoomView })
})

const asked: ShownMessage = {
  ...{ id: ASKED_ID, seq: 1, senderId: BOB_ID, at: '2026-11-26T10:00:00.000Z', isMine: false, status: null, reason: null },
  ...{ isOutOfPlace: false, body: { kind: 'text', text: 'Shall we meet at nine?' } },
}
const answer = (quote: Partial<Quote> = {}): ShownMessage => ({
  ...asked,
  ...{ id: ANSWER_ID, seq: 2, senderId: ALICE_ID, isMine: true, status: 'sent' },
  body: { kind: 'text', text: 'Yes', quote: { senderId: BOB_ID, id: ASKED_ID, words: 'Shall we meet at nine?', ...quote } },
})

const talk = (messages: ShownMessage[] = [asked], canWrite = true) =>
  show(<Talk {...{ room, messages, canWrite }} />, makeAnswers(), { crypto })
const field = () => screen.getByLabelText<HTMLTextAreaElement>('Message')
const messageOf = (text: string) =>
  screen.getByText(text, { selector: '.bub > p, .bub > p *' }).closest<HTMLElement>('.msg') ?? expect.fail()
const replying = () => screen.queryByRole('group', { name: 'Reply to Bob Baker' })

test('R on a message answers it: its words stand above the field, which has the focus, and the next text carries them', async () => {
  const { person } = talk()
  messageOf('Shall we meet at nine?').focus()
  await person.keyboard('r')
  await waitFor(() => expect(replying()?.textContent).toContain('Shall we meet at nine?'))
  expect([document.activeElement, field().value]).toEqual([field(), ''])
  const quote = { senderId: BOB_ID, id: ASKED_ID, words: 'Shall we meet at nine?' }
  expect(replies).toEqual([quote])
  await person.keyboard('Yes{Enter}')
  await waitFor(() => expect(kept.map(({ message }) => message.content)).toEqual([{ type: 'text', text: 'Yes', quote }]))
  expect(replying()).toBe(null)
})

test('One step back, or its cross, takes the choice away and leaves what is typed', async () => {
  const { person } = talk()
  for (const end of [() => closeStep(), () => person.click(screen.getByRole('button', { name: 'Cancel reply' }))]) {
    messageOf('Shall we meet at nine?').focus()
    await person.keyboard('{Enter}')
    await waitFor(() => expect(replying()).not.toBe(null))
    await person.type(field(), 'so')
    await end()
    await waitFor(() => expect(replying()).toBe(null))
    expect(replies.at(-1)).toBe(null)
  }
  expect(field().value).toBe('soso')
})

test('A reply that is begun ends as its message is deleted for everyone, and leaves what is typed', async () => {
  const { person } = talk()
  messageOf('Shall we meet at nine?').focus()
  await person.keyboard('r')
  await waitFor(() => expect(replying()).not.toBe(null))
  await person.type(field(), 'so')
  const others = { ...asked, id: ANSWER_ID, body: { kind: 'deleted' as const, text: 'Deleted' } }
  const shows = (messages: ShownMessage[]) =>
    act(() => messagesStore.setState({ open: { chatRoomId: ROOM_ID, messages, status: 'ready' } as unknown as RoomView }))
  shows([asked, others])
  expect(replying()).not.toBe(null)
  shows([{ ...asked, body: others.body }])
  await waitFor(() => expect(replying()).toBe(null))
  expect([replies.at(-1), field().value]).toEqual([null, 'so'])
})

test('The message with the focus or under the pointer has a bar with Reply and More; the menu has what is possible', async () => {
  const { person } = talk()
  const message = messageOf('Shall we meet at nine?')
  await person.hover(message)
  await person.click(await within(message).findByRole('button', { name: 'More' }))
  const menu = await screen.findByRole('menu')
  expect(
    within(menu)
      .getAllByRole('menuitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['ReplyR', 'CopyCtrl C', 'ForwardF', 'SelectX', 'StarS', 'PinP', 'DetailsI', 'DeleteDel'])
  await person.click(within(menu).getByRole('menuitem', { name: 'Reply' }))
  await waitFor(() => expect(replying()).not.toBe(null))
  await person.hover(message)
  await person.click(await within(message).findByRole('button', { name: 'Reply' }))
  expect(replies).toHaveLength(2)
})

test('A double click gives the first reaction, but not on a link, nor where nothing can be written', async () => {
  const { again } = talk([{ ...asked, body: { kind: 'text', text: 'at nine, https://one.example' } }])
  fireEvent.dblClick(await screen.findByRole('link'))
  expect(acts).toEqual([])
  fireEvent.dblClick(messageOf('https://one.example'))
  await waitFor(() => expect(acts).toEqual([{ type: 'reaction', target: { senderId: BOB_ID, id: ASKED_ID }, emojis: ['👍'] }]))
  again(<Talk {...{ room, messages: [asked], canWrite: false }} />)
  fireEvent.dblClick(messageOf('Shall we meet at nine?'))
  expect(acts).toHaveLength(1)
})

test('A right click opens the menu, but not where words are marked or on a link', async () => {
  talk([{ ...asked, body: { kind: 'text', text: 'https://one.example' } }])
  const link = await screen.findByRole('link')
  const marked = vi.spyOn(globalThis, 'getSelection').mockReturnValue({ isCollapsed: false } as Selection)
  expect(fireEvent.contextMenu(messageOf('https://one.example'))).toBe(true)
  marked.mockReturnValue({ isCollapsed: true } as Selection)
  expect(fireEvent.contextMenu(link)).toBe(true)
  expect(screen.queryByRole('menu')).toBe(null)
  expect(fireEvent.contextMenu(link.closest('.msg') ?? expect.fail())).toBe(false)
  expect(await screen.findByRole('menu')).toBeTruthy()
})

test('Ctrl C copies the words of the message with the focus, and what is marked stays the browser’s', async () => {
  const { person } = talk()
  messageOf('Shall we meet at nine?').focus()
  await person.keyboard('{Control>}c{/Control}')
  expect(await navigator.clipboard.readText()).toBe('Shall we meet at nine?')
  await navigator.clipboard.writeText('before')
  vi.spyOn(globalThis, 'getSelection').mockReturnValue({ isCollapsed: false } as Selection)
  await person.keyboard('{Control>}c{/Control}')
  expect(await navigator.clipboard.readText()).toBe('before')
})

test('Where nothing can be written the menu has no Reply, and R does nothing', async () => {
  const { person } = talk([asked], false)
  messageOf('Shall we meet at nine?').focus()
  await person.keyboard('r')
  expect(replies).toEqual([])
  fireEvent.contextMenu(messageOf('Shall we meet at nine?'))
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual([
    'CopyCtrl C',
    'ForwardF',
    'SelectX',
    'StarS',
    'DetailsI',
    'DeleteDel',
  ])
})

test('An answer shows whose words it quotes, and says so where the message says something else or is not here', async () => {
  const { again } = talk([answer()])
  expect(await screen.findByRole('button', { name: 'Reply to Bob Baker Shall we meet at nine?' })).toBeTruthy()
  again(<Talk room={room} messages={[answer({ words: 'I owe you a million' })]} canWrite />)
  expect(await screen.findByRole('button', { name: 'Reply to Bob Baker · says something else I owe you a million' })).toBeTruthy()
  said = undefined
  again(<Talk room={room} messages={[answer({ words: 'I never wrote this', senderId: ALICE_ID })]} canWrite />)
  expect(await screen.findByRole('button', { name: 'Reply to You · as quoted I never wrote this' })).toBeTruthy()
})

test('A swipe to the right answers; one that is short, leads down or begins at the edge does not', async () => {
  talk()
  const message = messageOf('Shall we meet at nine?')
  for (const [from, right, down] of [
    [100, 40, 0],
    [100, 60, 80],
    [10, 90, 0],
  ] as const) {
    touch(message, 'pointerdown', from)
    for (const part of [0.5, 1]) touch(message, 'pointermove', from + part * right, part * down)
    touch(message, 'pointerup', from + right, down)
  }
  expect(replies).toEqual([])
  touch(message, 'pointerdown', 100)
  for (const right of [30, 90]) touch(message, 'pointermove', 100 + right)
  expect(message.style.translate).toMatch(/^67\.\d+px 0/)
  touch(message, 'pointerup', 190)
  await waitFor(() => expect(replies).toHaveLength(1))
  expect(message.style.translate).toBe('')
})

test('A finger that rests opens the menu, and its end presses nothing; one that moves does not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { person: _ } = talk()
  const message = messageOf('Shall we meet at nine?')
  touch(message, 'pointerdown', 100)
  touch(message, 'pointermove', 100, 30)
  vi.advanceTimersByTime(1000)
  expect(screen.queryByRole('menu')).toBe(null)
  expect(fireEvent.touchEnd(message)).toBe(true)
  touch(message, 'pointerup', 100, 30)
  touch(message, 'pointerdown', 100)
  vi.advanceTimersByTime(400)
  vi.useRealTimers()
  expect(await screen.findByRole('menu')).toBeTruthy()
  touch(message, 'pointerup', 100)
  // A tap would focus the message, which closes the menu.
  expect(fireEvent.touchEnd(message)).toBe(false)
  expect(fireEvent.click(message)).toBe(false)
  expect(fireEvent.click(message)).toBe(true)
})
