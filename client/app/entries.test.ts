import { expect, test } from 'vitest'
import { type Entry, foundEntries } from './entries.ts'

const entry = (group: Entry['group'], words: string, hint?: string): Entry => ({
  ...{ id: words, group, words, run: () => undefined },
  ...(hint && { hint }),
})
const all = [
  ...['Bob Marsh', 'Carol', 'Dan', 'Eve', 'Frank', 'Marcus'].map((name) =>
    entry('Chats', name, `@${name.toLowerCase().replace(' ', '_')}`),
  ),
  entry('Settings', 'Change the password'),
  entry('Actions', 'Use dark theme'),
]
const words = (typed: string) => foundEntries(all, typed).map(({ words }) => words)

test('A few letters of a name, a handle or an action find it, in any order of the words', () => {
  expect(words('mar')).toEqual(['Bob Marsh', 'Marcus'])
  expect(words('marsh bob')).toEqual(['Bob Marsh'])
  expect(words('@carol')).toEqual(['Carol'])
  expect(words('THEME dark')).toEqual(['Use dark theme'])
  expect(words('settings')).toEqual(['Change the password'])
  expect(words('nobody at all')).toEqual([])
})

test('What begins with the letters stands before what only holds them, and other chats before what can be done with the open one', () => {
  const acts = ['Block Dan', 'Remove Dan', 'Mute Dan'].map((act) => entry('Contact', act))
  const shown = (typed: string) =>
    foundEntries([entry('Chats', 'Dan'), ...acts, entry('Chats', 'Jordan')], typed).map(({ words: each }) => each)
  expect(shown('dan')).toEqual(['Dan', 'Jordan', 'Block Dan', 'Remove Dan', 'Mute Dan'])
  expect(shown('mute dan')).toEqual(['Mute Dan'])
  expect(words('cha')[0]).toBe('Change the password')
  expect(words('an')).toEqual(['Dan', 'Frank', 'Change the password'])
  expect(words('a')[0]).toBe('Bob Marsh')
  expect(words('c').slice(0, 2)).toEqual(['Carol', 'Change the password'])
})

test('Before a letter is typed the newest five chats and everything else is shown', () => {
  expect(words(' ')).toEqual(['Bob Marsh', 'Carol', 'Dan', 'Eve', 'Frank', 'Change the password', 'Use dark theme'])
})
