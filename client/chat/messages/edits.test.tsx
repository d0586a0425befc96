// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { ACT_LIMITS } from '../../../contract/chat/kinds/fold.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import { type RoomRow, resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { putPeople, resetPeople } from '../../rooms/trust/people.ts'
import { makeAnswers, openScreen, show, toasts } from '../../testing/screen.tsx'
import { ALICE_ID, BOB_ID, ROOM_ID, shownBob, shownRoom } from '../../testing/shown.ts'
import { Talk } from '../../testing/talk.tsx'
import { closeStep } from '../../ui/steps.ts'
import { dropToasts, toastStore } from '../../ui/toast.ts'
import { type BegunEdit, CryptoFailure } from '../../worker/crypto.ts'
import { messagesStore, type RoomView, type ShownMessage } from './store.ts'

vi.mock('./Attach.tsx', () => ({ Attach: () => null, loadDialogs: () => undefined }))

openScreen()

const room: RoomRow = shownRoom
const MINE_ID = '44444444-4444-4444-8444-444444444444'
const NOW = '2026-11-27T12:00:00.000Z'
const before = (ms: number) => new Date(Date.parse(NOW) - ms).toISOString()
const HOUR = 60 * 60_000
const kept: { content: unknown }[] = []
const dropped: string[] = []
const hidden: unknown[] = []
let row: BegunEdit | null
let isFull = false

const crypto = {
  readDraft: async () => 'begun',
  readReply: async () => null,
  readEdit: async () => row,
  keepEdit: async ({ edit }: { edit: BegunEdit | null }) => {
    row = edit
  },
  keepDraftText: async () => undefined,
  keepInOutbox: async (message: { content: unknown }) => {
    if (isFull) throw new CryptoFailure('quota', 'This browser has no room left')
    kept.push(message)
  },
  hideMessages: async ({ hides }: { hides: unknown[] }) => {
    if (isFull) throw new CryptoFailure('quota', 'This browser has no room left')
    hidden.push(...hides)
  },
  ownId: async () => ALICE_ID,
  marks: async () => ({}),
  hidingRooms: async () => [],
  dropFromOutbox: async ({ id }: { id: string }) => void dropped.push(id),
  earlierWords: async () => [{ at: before(HOUR), text: 'At eight' }],
  outbox: async () => [],
  page: async () => ({ messages: [], from: 0, cursor: 0, isJoined: true, waitsFor: '' }),
} as unknown as Env['crypto']

beforeEach(() => {
  for (const list of [kept, dropped, hidden]) list.length = 0
  row = null
  isFull = false
  resetRooms()
  resetPeople()
  putPeople([shownBob])
  const notes = { ...room, id: notesRoomId(ALICE_ID), memberIds: [ALICE_ID], direct: null }
  roomsStore.setState({ rooms: new Map([room, notes].map((one) => [one.id, one])) })
})

const mine: ShownMessage = {
  ...{ id: MINE_ID, seq: 7, senderId: ALICE_ID, at: before(HOUR), isMine: true, status: 'delivered', reason: null },
  ...{ isOutOfPlace: false, body: { kind: 'text', text: 'At nine' } },
}
const theirs: ShownMessage = { ...mine, senderId: BOB_ID, isMine: false, status: null }

const upgrade = vi.fn()

function talk(message = mine, hasPlan = true) {
  messagesStore.setState({ open: { chatRoomId: ROOM_ID, messages: [message], status: 'ready' } as unknown as RoomView })
  return show(<Talk {...{ room, messages: [message], hasPlan, onUpgrade: upgrade }} />, makeAnswers(), {
    crypto,
    clock: () => new Date(NOW),
  })
}

const bubble = () => document.querySelector<HTMLElement>('.msg') ?? expect.fail()
const editing = () => screen.queryByRole<HTMLTextAreaElement>('textbox', { name: 'Edit message' })
const opened = async () => await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Edit message' })

async function items(): Promise<(string | null)[]> {
  fireEvent.contextMenu(bubble())
  return within(await screen.findByRole('menu'))
    .getAllByRole('menuitem')
    .map(({ textContent }) => textContent)
}

test('The up arrow in an empty field opens the last own message; the tick sends its words as an edit and the draft returns', async () => {
  const { person } = talk()
  const field = screen.getByLabelText<HTMLTextAreaElement>('Message')
  await waitFor(() => expect(field.value).toBe('begun'))
  await person.type(field, '{ArrowUp}')
  expect(editing()).toBe(null)
  await person.clear(field)
  await person.type(field, '{ArrowUp}')
  expect((await opened()).value).toBe('At nine')
  await waitFor(() => expect(document.activeElement).toBe(editing()))
  await person.type(await opened(), ', or ten{Enter}')
  await waitFor(() => expect(editing()).toBe(null))
  const target = { senderId: ALICE_ID, id: MINE_ID }
  expect(kept.map(({ content }) => content)).toEqual([{ type: 'edit', target, n: 1, text: 'At nine, or ten' }])
  expect(row).toBe(null)
})

test('What is typed is kept at each letter, survives a step back, and waits for the next edit of the same message', async () => {
  const { person } = talk()
  bubble().focus()
  await person.keyboard('e')
  await person.type(await opened(), '!')
  expect(row).toMatchObject({ text: 'At nine!', before: 'At nine', isOpen: true })
  closeStep()
  await waitFor(() => expect(editing()).toBe(null))
  expect(row).toMatchObject({ text: 'At nine!', isOpen: false })
  bubble().focus()
  await person.keyboard('e')
  expect((await opened()).value).toBe('At nine!')
  await person.click(screen.getByRole('button', { name: 'Cancel edit' }))
  expect(kept).toEqual([])
})

test('After a reload the edit is open again with its words', async () => {
  row = { target: { senderId: ALICE_ID, id: MINE_ID }, n: 3, text: 'At no', before: 'At nine', isCaption: false, isOpen: true }
  talk()
  expect((await opened()).value).toBe('At no')
})

test('Words that are too long or none are not sent, nor what did not change; without a plan the plans open', async () => {
  const { person } = talk(mine, false)
  bubble().focus()
  await person.keyboard('e')
  const save = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
  await person.clear(await opened())
  expect(save().disabled).toBe(true)
  expect(screen.getByText('A message needs words. It can be deleted instead.')).toBeTruthy()
  fireEvent.change(await opened(), { target: { value: 'x'.repeat(70_000) } })
  expect(save().disabled).toBe(true)
  fireEvent.change(await opened(), { target: { value: 'At ten' } })
  await person.click(save())
  expect(upgrade).toHaveBeenCalledOnce()
  expect(editing()?.value).toBe('At ten')
  fireEvent.change(await opened(), { target: { value: ' At nine ' } })
  await person.click(save())
  await waitFor(() => expect(editing()).toBe(null))
  expect(kept).toEqual([])
})

test('An edit that this browser cannot keep stays in the field', async () => {
  const { person } = talk()
  bubble().focus()
  await person.keyboard('e')
  isFull = true
  await person.type(await opened(), '!{Enter}')
  await waitFor(() => expect(JSON.stringify(toasts())).toContain('This browser has no room left'))
  expect(editing()?.value).toBe('At nine!')
})

test.each<[string, Partial<ShownMessage>, string[], string[]]>([
  ['own', {}, ['Edit', 'Delete'], ['me', 'everyone']],
  ['own, of 24 hours', { at: before(ACT_LIMITS.editMs) }, ['Edit', 'Delete'], ['me', 'everyone']],
  ['own, older', { at: before(ACT_LIMITS.editMs + 1) }, ['Delete'], ['me', 'everyone']],
  ['own, of two days', { at: before(ACT_LIMITS.deleteMs + 1) }, ['Delete'], ['me']],
  [
    'edited fifty times',
    { edited: { n: 50, places: Array.from({ length: SAID.textsMax }, (_, at) => at) } },
    ['Delete'],
    ['me', 'everyone'],
  ],
  ['not sent', { seq: null, status: 'sending' }, [], []],
  ['of somebody else', theirs, ['Delete'], ['me']],
])('The menu of a message that is %s has what is possible', async (_, more, expected, forWhom) => {
  const { person } = talk({ ...mine, ...more })
  const found = (await items()).filter((item) => /^(Edit|Delete)/.test(item ?? ''))
  expect(found.map((item) => item?.replace(/(E|Del)$/, ''))).toEqual(expected)
  if (forWhom.length === 0) return
  await person.click(screen.getByRole('menuitem', { name: /^Delete/ }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete this message?' })
  const offered = within(dialog).getAllByRole('button', { name: /^Delete for/ })
  expect(offered.map(({ textContent }) => textContent?.replace('Delete for ', '')).sort()).toEqual([...forWhom].sort())
})

test.each<[string, Partial<ShownMessage>, string, RegExp]>([
  ['an hour', {}, 'Delete for everyone', /leave the server/],
  ['two days', { at: before(ACT_LIMITS.deleteMs + 1) }, 'Delete for me', /^It leaves all your browsers\. The server keeps/],
])('A note to oneself of %s can be deleted, once, and is said where it leaves', async (_, more, action, words) => {
  const notes = roomsStore.getState().rooms.get(notesRoomId(ALICE_ID)) ?? expect.fail()
  const note = { ...mine, ...more }
  messagesStore.setState({ open: { chatRoomId: notes.id, messages: [note], status: 'ready' } as unknown as RoomView })
  const { person } = show(<Talk {...{ room: notes, messages: [note], onUpgrade: upgrade }} />, makeAnswers(), {
    crypto,
    clock: () => new Date(NOW),
  })
  bubble().focus()
  await person.keyboard('{Delete}')
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete this message?' })
  expect(
    within(dialog)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toEqual(['Cancel', action])
  expect(within(dialog).getByText(words)).toBeTruthy()
})

const HIDE = { type: 'hide', room: ROOM_ID, target: { senderId: BOB_ID, id: MINE_ID }, at: 7 }

test('Before the other has answered nothing is offered that the server refuses then: no edit, no reaction, no pin', async () => {
  const asked = { ...room, direct: { ...shownRoom.direct, hasAnswered: false } }
  roomsStore.setState({ rooms: new Map([[ROOM_ID, asked]]) })
  const { person, again } = talk()
  again(<Talk {...{ room: asked, messages: [mine], onUpgrade: upgrade }} />)
  const found = await items()
  expect(found.map((item) => item?.replace(/(Ctrl C|Del|[A-Z])$/, ''))).toEqual([
    'Reply',
    'Copy',
    'Forward',
    'Select',
    'Star',
    'Details',
    'Delete',
  ])
  expect(screen.queryByRole('menuitemcheckbox')).toBe(null)
  await person.keyboard('{Escape}')
  bubble().focus()
  await person.keyboard('ep')
  const field = screen.getByLabelText<HTMLTextAreaElement>('Message')
  await person.clear(field)
  await person.type(field, '{ArrowUp}')
  expect([editing(), kept]).toEqual([null, []])
})

test('What is deleted for oneself leaves the screen at once, comes back by Undo, and goes once that is not offered any more', async () => {
  const { person } = talk(theirs)
  const asks = async () => {
    bubble().focus()
    await person.keyboard('{Delete}')
    await person.click(await screen.findByRole('button', { name: 'Delete for me' }))
    await waitFor(() => expect(document.querySelector('.bub')).toBeNull())
  }
  await asks()
  act(() => toastStore.getState().queue.at(-1)?.action?.run())
  act(() => dropToasts())
  await waitFor(() => expect(bubble()).toBeTruthy())
  expect(hidden).toEqual([])
  await asks()
  expect(hidden).toEqual([])
  act(() => dropToasts())
  await waitFor(() => expect(hidden).toEqual([HIDE]))
})

test.each([
  ['closes', window, 'pagehide'],
  ['is looked at no more', document, 'visibilitychange'],
])(
  'What is deleted for oneself is asked of the worker in the moment in which the page %s, and only once',
  async (_, target, type) => {
    const { person } = talk(theirs)
    bubble().focus()
    await person.keyboard('{Delete}')
    await person.click(await screen.findByRole('button', { name: 'Delete for me' }))
    await waitFor(() => expect(toastStore.getState().queue).toHaveLength(1))
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    act(() => void target.dispatchEvent(new Event(type)))
    expect(hidden).toEqual([HIDE])
    expect(toastStore.getState().queue).toEqual([])
    act(() => void window.dispatchEvent(new Event('pagehide')))
    vi.restoreAllMocks()
    expect(hidden).toEqual([HIDE])
  },
)

test('A message of somebody else that has the id of an own one is the one that is deleted', async () => {
  const messages = [mine, { ...theirs, seq: 8 }]
  messagesStore.setState({ open: { chatRoomId: ROOM_ID, messages, status: 'ready' } as unknown as RoomView })
  const props = { room, messages, canWrite: false, onUpgrade: upgrade }
  const { person } = show(<Talk {...props} />, makeAnswers(), { crypto, clock: () => new Date(NOW) })
  document.querySelectorAll<HTMLElement>('.msg')[1]?.focus()
  await person.keyboard('{Delete}')
  const dialog = await screen.findByRole('alertdialog')
  expect(within(dialog).queryByRole('button', { name: 'Delete for everyone' })).toBe(null)
  await person.click(within(dialog).getByRole('button', { name: 'Delete for me' }))
  act(() => dropToasts())
  await waitFor(() => expect(hidden).toMatchObject([{ target: { senderId: BOB_ID, id: MINE_ID }, at: 8 }]))
})

test('Of an album all pictures are deleted, also where their states change while the question stands', async () => {
  const picture = (place: number, status: ShownMessage['status']): ShownMessage => ({
    ...{ ...mine, id: `p${place}`, seq: 7 + place, status },
    body: {
      ...{ kind: 'file', text: '', chatRoomId: ROOM_ID },
      file: {
        ...{ type: 'file', as: 'image', object: `${place}`, storedBytes: 4096, key: '', hash: '', name: '', sizeBytes: 1 },
        ...{ mediaType: 'image/png', caption: '', album: { id: 'album', place } },
      },
    },
  })
  const pictures = (status: ShownMessage['status']) => [0, 1, 2].map((place) => picture(place, status))
  const props = { room, canWrite: false, onUpgrade: upgrade }
  messagesStore.setState({ open: { chatRoomId: ROOM_ID, messages: pictures('sent'), status: 'ready' } as unknown as RoomView })
  const { person, again } = show(<Talk {...props} messages={pictures('sent')} />, makeAnswers(), {
    crypto,
    clock: () => new Date(NOW),
  })
  fireEvent.contextMenu(bubble())
  await screen.findByRole('menu')
  again(<Talk {...props} messages={pictures('delivered')} />)
  await person.click(screen.getByRole('menuitem', { name: /^Delete/ }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete 3 messages?' })
  again(<Talk {...props} messages={pictures('read')} />)
  await person.click(within(dialog).getByRole('button', { name: 'Delete for me' }))
  act(() => dropToasts())
  await waitFor(() => expect(hidden).toMatchObject([0, 1, 2].map((place) => ({ target: { id: `p${place}` }, at: 7 + place }))))
})

test('Where the browser has no room for it, nothing is deleted, and the message stands there again', async () => {
  const { person } = talk(theirs)
  isFull = true
  bubble().focus()
  await person.keyboard('{Delete}')
  await person.click(await screen.findByRole('button', { name: 'Delete for me' }))
  await waitFor(() => expect(document.querySelector('.bub')).toBeNull())
  act(() => dropToasts())
  await waitFor(() => expect(JSON.stringify(toasts())).toContain('This browser has no room left'))
  await waitFor(() => expect(bubble()).toBeTruthy())
  expect(hidden).toEqual([])
})

test('Deleting asks first, names the places of the message and its edits, and drops what still waits', async () => {
  const { person } = talk({
    ...mine,
    edited: { n: 2, places: [9, 11, 2 ** 52] },
    pending: { ids: ['waiting'], status: 'sending', reason: null },
  })
  bubble().focus()
  await person.keyboard('{Delete}')
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete this message?' })
  expect(document.activeElement?.textContent).toBe('Cancel')
  expect(kept).toEqual([])
  await person.click(within(dialog).getByRole('button', { name: 'Delete for everyone' }))
  await waitFor(() => expect(kept).toHaveLength(1))
  expect(kept[0]?.content).toEqual({ type: 'delete', target: { senderId: ALICE_ID, id: MINE_ID }, places: [7, 9, 11] })
  expect(dropped).toEqual(['waiting'])
})

test('The details tell what is known, who reacted and what a message said before', async () => {
  const { person } = talk({
    ...mine,
    edited: { n: 1, places: [9] },
    reactions: [{ emoji: '👍', userIds: [BOB_ID, ALICE_ID] }],
  })
  bubble().focus()
  await person.keyboard('i')
  const dialog = await screen.findByRole('dialog', { name: 'Message details' })
  expect(within(dialog).getByText('👍').parentElement?.textContent).toBe('👍You and Bob Baker')
  expect(within(dialog).getByText('Delivered').parentElement?.textContent).toBe('DeliveredYes')
  expect(within(dialog).getByText('Read').parentElement?.textContent).toBe('ReadNothing heard yet')
  expect(await within(dialog).findByText('At eight')).toBeTruthy()
})

test('A right click on a reaction says who gave it, and changes nothing', async () => {
  talk({ ...mine, reactions: [{ emoji: '👍', userIds: [BOB_ID, ALICE_ID] }] })
  fireEvent.contextMenu(await screen.findByRole('button', { name: '👍 2, You and Bob Baker' }))
  const dialog = await screen.findByRole('dialog', { name: 'Message details' })
  expect(within(dialog).getByText('👍').parentElement?.textContent).toBe('👍You and Bob Baker')
  expect([screen.queryByRole('menu'), kept]).toEqual([null, []])
})

test('A change that the server refused says so below the message, with its words to copy', async () => {
  const { person } = talk({ ...mine, pending: { ids: ['refused'], status: 'failed', reason: 'No plan', words: 'At ten' } })
  expect(await screen.findByText('Change not sent. No plan.')).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Copy' }))
  expect(await navigator.clipboard.readText()).toBe('At ten')
  await person.click(screen.getByRole('button', { name: 'Discard' }))
  expect(dropped).toEqual(['refused'])
})

test('An edit of a message that is deleted meanwhile is not sent', async () => {
  const { person } = talk()
  bubble().focus()
  await person.keyboard('e')
  await opened()
  messagesStore.setState({
    open: {
      chatRoomId: ROOM_ID,
      messages: [{ ...mine, body: { kind: 'deleted', text: '' } }],
      status: 'ready',
    } as unknown as RoomView,
  })
  expect(await screen.findByText('This message was deleted.')).toBeTruthy()
  await person.type(await opened(), '!{Enter}')
  expect(kept).toEqual([])
})
