import { expect, test } from 'vitest'
import { isWritten, roomBeside, verbOf } from './keys.ts'

const pressed = (key: string, held: Partial<Parameters<typeof verbOf>[0]> = {}) => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false },
  ...held,
})

test('A key that somebody types stays a letter, and the keys of the messenger work from every field', () => {
  expect(verbOf(pressed('?', { shiftKey: true }), 'text')).toBeUndefined()
  expect(verbOf(pressed('?', { shiftKey: true }), 'elsewhere')).toBe('keys')
  expect(verbOf(pressed('k', { ctrlKey: true }), 'text')).toBe('palette')
  expect(verbOf(pressed('k', { metaKey: true }), 'field')).toBe('palette')
  expect(verbOf(pressed('k'), 'elsewhere')).toBeUndefined()
  expect(verbOf(pressed('ArrowDown', { altKey: true }), 'text')).toBe('next')
  expect(verbOf(pressed('ArrowUp', { altKey: true }), 'elsewhere')).toBe('previous')
  expect(verbOf(pressed('ArrowDown'), 'elsewhere')).toBeUndefined()
  // A search has an Escape of its own, and so has an input method.
  expect(verbOf(pressed('Escape'), 'text')).toBe('back')
  expect(verbOf(pressed('Escape'), 'field')).toBeUndefined()
  expect(verbOf(pressed('Escape'), 'own')).toBe('back')
  expect(verbOf(pressed('?', { shiftKey: true }), 'own')).toBe('keys')
  expect(verbOf(pressed('Escape', { isComposing: true }), 'text')).toBeUndefined()
})

test('A letter that is pressed on nothing is written, and nothing else is', () => {
  for (const key of ['a', 'É', 'ß', 'ж', '字', 'Dead', 'Process']) expect(isWritten(pressed(key), 'elsewhere')).toBe(true)
  expect(isWritten(pressed('A', { shiftKey: true }), 'own')).toBe(true)
  for (const key of ['1', ' ', '?', 'Enter', 'Tab', 'F5', 'ArrowUp']) expect(isWritten(pressed(key), 'elsewhere')).toBe(false)
  for (const held of ['ctrlKey', 'altKey', 'metaKey']) expect(isWritten(pressed('a', { [held]: true }), 'elsewhere')).toBe(false)
  for (const place of ['text', 'field'] as const) expect(isWritten(pressed('a'), place)).toBe(false)
})

test('From one chat to the next, and no further than the ends of the list', () => {
  const ids = ['a', 'b', 'c']
  expect([roomBeside(ids, 'b', -1), roomBeside(ids, 'b', 1)]).toEqual(['a', 'c'])
  expect([roomBeside(ids, 'a', -1), roomBeside(ids, 'c', 1)]).toEqual([undefined, undefined])
  expect([roomBeside(ids, undefined, 1), roomBeside(ids, undefined, -1)]).toEqual(['a', 'c'])
  expect(roomBeside([], undefined, 1)).toBeUndefined()
})
