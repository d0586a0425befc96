// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
import { draftsStore } from '../../rooms/list/drafts.ts'
import { type RoomRow, resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { held, makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { ROOM_ID } from '../../testing/shown.ts'
import { toastStore } from '../../ui/toast.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { Bubble } from './Bubble.tsx'
import { Composer } from './Composer.tsx'
import { messagesStore, type RoomView, type ShownMessage } from './store.ts'

vi.mock('./Attach.tsx', () => ({ Attach: () => null, loadDialogs: () => undefined }))

openScreen()

const room = {
  id: ROOM_ID,
  ownId: 'a1',
  memberIds: ['a1', 'b1'],
  peers: [],
  direct: null,
  lock: 'none',
  marks: {},
} as unknown as RoomRow
const kept: unknown[] = []
const crypto = {
  readDraft: async () => '',
  readReply: async () => null,
  readEdit: async () => null,
  keepDraftText: async () => undefined,
  keepAndSeal: async (input: { message: object; room: unknown }) => {
    kept.push(input)
    return { ...input.message, envelope: null, failure: null, order: 1, isAlone: false }
  },
  outbox: async () => [],
  page: async () => ({ messages: [], from: 0, cursor: 0, isJoined: true, waitsFor: '' }),
  takeBack: async () => 'see you at nine',
}

beforeEach(() => {
  kept.length = 0
  resetRooms()
  roomsStore.setState({ rooms: new Map([[ROOM_ID, room]]) })
  messagesStore.setState({ open: null })
})

const compose = (isBlocked = false) =>
  show(<Composer {...{ room, isBlocked, hasPlan: true, onUpgrade: () => undefined }} />, makeAnswers(), {
    crypto: crypto as unknown as Env['crypto'],
  })
const field = () => screen.getByLabelText<HTMLTextAreaElement>('Message')
const loses = () => act(() => connectionStore.setState({ phase: 'connecting' }))

test('Without a line the field stays open, says so, and Enter keeps what was typed without sealing it', async () => {
  const { person } = compose()
  expect(field().placeholder).toBe('Type a message...')
  loses()
  expect(field().placeholder).toBe('Connecting...')
  expect(field().disabled).toBe(false)
  const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send when connected' })
  expect(send.disabled).toBe(true)
  await person.type(field(), 'see you at nine')
  expect(send.disabled).toBe(false)
  expect(screen.getByRole('status').textContent).toBe('Connecting...')
  await person.keyboard('{Enter}')
  await waitFor(() => expect(kept).toMatchObject([{ message: { content: { text: 'see you at nine' } }, room: null }]))
  expect(field().value).toBe('')
  expect(document.activeElement).toBe(field())
})

test('Where the browser knows that it has no network, the field says that too; a chat that is stopped takes nothing', () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  loses()
  compose()
  expect(field().placeholder).toBe('Connecting... · you are offline')
})

test('A chat in which sending is stopped takes nothing, with a line and without', () => {
  compose(true)
  expect([field().disabled, field().placeholder]).toEqual([true, 'Sending is stopped'])
  loses()
  expect([field().disabled, field().placeholder]).toEqual([true, 'Sending is stopped'])
})

const waiting = (more: Partial<ShownMessage>): ShownMessage => ({
  ...{ id: 'm1', seq: null, at: '2026-11-26T10:00:00.000Z', isMine: true, status: 'sending', isOutOfPlace: false },
  ...{ reason: 'Goes by itself when the line is back', isQueued: true, canBeTakenBack: true },
  body: { kind: 'text', text: 'see you at nine' },
  ...more,
})
const bubble = (message: ShownMessage) => (
  <Bubble
    {...{ message, name: 'Bob', startsRun: true, hasTime: true, isTabStop: true, marks: undefined }}
    onUpgrade={() => undefined}
  />
)

test('Cancel below the last one gives its words back to the field, before what is typed, and the field has the focus', async () => {
  messagesStore.setState({ open: { chatRoomId: ROOM_ID, messages: [], status: 'ready' } as unknown as RoomView })
  const { person } = show(
    <>
      {bubble(waiting({}))}
      <Composer {...{ room, isBlocked: false, hasPlan: true, onUpgrade: () => undefined }} />
    </>,
    makeAnswers(),
    { crypto: crypto as unknown as Env['crypto'] },
  )
  await person.type(field(), 'or ten')
  await screen.findByText('Goes by itself when the line is back.')
  await person.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(field().value).toBe('see you at nine\nor ten'))
  await waitFor(() => expect(document.activeElement).toBe(field()))
})

/** Alice cancels, and before the worker has answered another field is shown. Returns how the answer comes. */
async function cancelsAndLeaves(chatRoomId: string, worker: object) {
  messagesStore.setState({ open: { chatRoomId: ROOM_ID, messages: [], status: 'ready' } as unknown as RoomView })
  const cancelled = held<string>()
  const composerIn = (id: string, key: string) => (
    <>
      {bubble(waiting({}))}
      <Composer key={key} {...{ room: { ...room, id }, isBlocked: false, hasPlan: true, onUpgrade: () => undefined }} />
    </>
  )
  const env = { ...crypto, takeBack: () => cancelled.promise, drafts: async () => [], ...worker }
  const { person, again } = show(composerIn(ROOM_ID, 'first'), makeAnswers(), { crypto: env as unknown as Env['crypto'] })
  await person.click(await screen.findByRole('button', { name: 'Cancel' }))
  again(composerIn(chatRoomId, 'second'))
  return () => cancelled.answer('see you at nine')
}

test('Words that come back when another chat is open do not come into its field: they are the draft of their own', async () => {
  const drafts = new Map([['of Carol', 'about Bob']])
  const answer = await cancelsAndLeaves('of Carol', {
    readDraft: async (id: string) => drafts.get(id) ?? '',
    keepDraftText: async ({ chatRoomId, text }: { chatRoomId: string; text: string }) => void drafts.set(chatRoomId, text),
    drafts: async () => [...drafts].map(([chatRoomId, text]) => ({ chatRoomId, text })),
  })
  await waitFor(() => expect(field().value).toBe('about Bob'))
  // What was typed last is kept as the field goes.
  drafts.set(ROOM_ID, 'or ten')
  answer()
  await waitFor(() => expect(draftsStore.getState().drafts.get(ROOM_ID)).toBe('see you at nine\nor ten'))
  expect(field().value).toBe('about Bob')
})

test('A field of the same chat that opened meanwhile has the words once, whether it has read them or reads them now', async () => {
  const reads = [held<string>(), held<string>(), held<string>()]
  let count = 0
  const answer = await cancelsAndLeaves(ROOM_ID, { readDraft: () => reads[count++]?.promise })
  const both = 'see you at nine\nor ten'
  await act(async () => reads[1]?.answer(both))
  await waitFor(() => expect(field().value).toBe(both))
  answer()
  await waitFor(() => expect(count).toBe(3))
  await act(async () => reads[2]?.answer(both))
  expect(field().value).toBe(both)

  cleanup()
  const later = [held<string>(), held<string>(), held<string>()]
  let next = 0
  const answerLater = await cancelsAndLeaves(ROOM_ID, { readDraft: () => later[next++]?.promise })
  answerLater()
  await waitFor(() => expect(next).toBe(3))
  await act(async () => later[2]?.answer(both))
  await waitFor(() => expect(field().value).toBe(both))
  await act(async () => later[1]?.answer(both))
  expect(field().value).toBe(both)
})

test.each([
  ['Cancel', 'Not cancelled', { canBeTakenBack: true }],
  ['Delete', 'Not deleted', { canBeTakenBack: false }],
])('%s that fails says why, and is no rejection that nobody catches', async (name, title, more) => {
  messagesStore.setState({ open: { chatRoomId: ROOM_ID, messages: [], status: 'ready' } as unknown as RoomView })
  const lost = async () => {
    throw new CryptoFailure('worker', 'The keys of this page are gone. Load it again')
  }
  const { person } = show(bubble(waiting(more)), makeAnswers(), {
    crypto: { ...crypto, takeBack: lost, dropFromOutbox: lost } as unknown as Env['crypto'],
  })
  await person.click(await screen.findByRole('button', { name }))
  await waitFor(() =>
    expect(toastStore.getState().queue).toMatchObject([
      { tone: 'bad', title, text: 'The keys of this page are gone. Load it again' },
    ]),
  )
})

test.each([
  [
    'that was stopped',
    { status: 'failed' as const, reason: 'You have blocked Bob', isQueued: false },
    ['Retry', 'Copy', 'Cancel'],
  ],
  ['that may have been sent', { canBeTakenBack: false }, ['Delete']],
  ['before the last', { reason: null }, []],
])('A message %s says why, and offers what can be done', async (_, more, names) => {
  show(bubble(waiting(more)), makeAnswers())
  if (names.length > 0) await screen.findByRole('button', { name: names[0] as string })
  expect(screen.queryAllByRole('button').map(({ textContent }) => textContent)).toEqual(names)
  expect(document.querySelector('.meta svg')).not.toBeNull()
})
