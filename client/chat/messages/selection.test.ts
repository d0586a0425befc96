import { afterEach, expect, test } from 'vitest'
import { SELECTED_MAX, selectedIn, toggleSelected } from './select.ts'
import { isSelected, messagesIn, selectionStore } from './selection.ts'
import type { ShownMessage } from './store.ts'
import { type Line, timelineLines } from './timelineLines.ts'

const message = (seq: number, more: Partial<ShownMessage> = {}): ShownMessage => ({
  ...{ id: `id ${seq}`, seq, senderId: 'bob', at: '2026-11-28T10:00:00.000Z', isMine: false, status: null, reason: null },
  ...{ isOutOfPlace: false, body: { kind: 'text', text: `words ${seq}` } },
  ...more,
})
const picture = (seq: number, place: number): ShownMessage =>
  message(seq, {
    body: {
      ...{ kind: 'file', text: '', chatRoomId: 'room' },
      file: {
        ...{ type: 'file', as: 'image', object: `object ${seq}`, storedBytes: 1, key: '', hash: '', name: 'a.png', sizeBytes: 1 },
        ...{ mediaType: 'image/png', caption: '', album: { id: 'album', place } },
      },
    },
  })
const linesOf = (messages: ShownMessage[]): Line[] =>
  timelineLines({ messages, fresh: null, hasOlder: true }).filter(({ kind }) => kind === 'message')
const seqs = () => [...(selectionStore.getState().selection?.messages.values() ?? [])].map(({ seq }) => seq)
const press = (lines: Line[], at: number, isRange = false) =>
  toggleSelected('room', lines, lines[at] ?? expect.fail(`line ${at}`), isRange)

afterEach(() => selectionStore.setState({ selection: null }))

test('A press adds a message or takes it out; with Shift all from the last to it come, in the order of the chat', () => {
  const lines = linesOf([1, 2, 3, 4, 5].map((seq) => message(seq)))
  press(lines, 4)
  press(lines, 1)
  press(lines, 4)
  expect(seqs()).toEqual([2])
  press(lines, 4)
  press(lines, 3)
  press(lines, 0, true)
  expect(seqs()).toEqual([1, 2, 3, 4, 5])
  expect(toggleSelected('other', lines, lines[2] ?? expect.fail())).toBe(true)
  expect(seqs()).toEqual([3])
})

test('An album counts as its pictures; what waits or was deleted cannot be selected', () => {
  const lines = linesOf([picture(1, 0), picture(2, 1), message(3, { body: { kind: 'deleted', text: 'gone' } })])
  const [album, deleted] = lines as [Line, Line]
  press(lines, 0)
  expect(seqs()).toEqual([1, 2])
  const { selection } = selectionStore.getState()
  expect([isSelected(album, selection ?? expect.fail()), isSelected(deleted, selection ?? expect.fail())]).toEqual([
    true,
    undefined,
  ])
  expect(messagesIn(linesOf([message(4, { seq: null })])[0] ?? expect.fail())).toEqual([])
})

test('At most a hundred are selected: one more is refused, and those before stay', () => {
  const lines = linesOf(Array.from({ length: SELECTED_MAX + 1 }, (_, at) => message(at + 1)))
  press(lines, 0)
  expect(press(lines, SELECTED_MAX, true)).toBe(false)
  expect(seqs()).toEqual([1])
  expect(press(lines, SELECTED_MAX - 1, true)).toBe(true)
  expect(seqs()).toHaveLength(SELECTED_MAX)
})

test('What is selected has the words of now, stays when its page is left, and goes when it is deleted', () => {
  const lines = linesOf([message(1), message(2), message(3)])
  for (const at of [0, 1, 2]) press(lines, at)
  const { selection } = selectionStore.getState()
  const now = [message(2, { body: { kind: 'text', text: 'edited' } }), message(3, { body: { kind: 'deleted', text: 'gone' } })]
  expect(selectedIn(selection ?? expect.fail(), now).map(({ body }) => body)).toEqual([
    { kind: 'text', text: 'words 1' },
    { kind: 'text', text: 'edited' },
  ])
})
