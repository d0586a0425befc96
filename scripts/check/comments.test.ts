import { expect, test } from 'vitest'
import {
  commentsOf,
  commentVolumes,
  findOpeningsWithoutSubject,
  findTalkativeFolders,
  openingsWithoutSubject,
} from './comments.ts'

const file = (path: string, text: string) => ({ path, text })

test('comments are found by their marks, and not in strings, templates and patterns', () => {
  const text = [
    "const address = 'https://example.org' // The first.",
    'const pattern = /\\/\\/[/*]/g',
    'const template = `// none /* none */`',
    '/**',
    ' * The second one,',
    ' * on two lines.',
    ' */',
  ].join('\n')
  expect(commentsOf(text)).toEqual(['The first.', 'The second one,  on two lines.'])
})

test('a folder may say less than its number, never more; a new one may have 70', () => {
  const text = `${'// One two three four five.\n'.repeat(20)}${'x\n'.repeat(80)}`
  const files = [file('client/chat/files/a.ts', text), file('client/chat/files/a.test.ts', text.repeat(2))]
  expect(commentVolumes(files)).toEqual(new Map([['client/chat/files', 100]]))
  expect(findTalkativeFolders(files, { 'client/chat/files': 100 })).toEqual([])
  expect(findTalkativeFolders(files, { 'client/chat/files': 99 })).toEqual([expect.stringContaining('100 words')])
  expect(findTalkativeFolders(files, {})).toEqual([expect.stringContaining('at most 70')])
})

test('a comment begins with its subject', () => {
  const openings = ['Of a locked chat the count is known', 'While there is none, it waits', 'Whoever asks is told', 'Once a page']
  const files = (words: string[]) => [file('server/chat/a.ts', words.map((line) => `// ${line}\n`).join(''))]
  expect(openingsWithoutSubject(files(openings))).toHaveLength(openings.length)
  expect(
    openingsWithoutSubject(files(['The count of a locked chat', 'Waits while there is none', 'Offline pages wait'])),
  ).toEqual([])
  expect(findOpeningsWithoutSubject(files(openings), openings.length)).toEqual([])
  expect(findOpeningsWithoutSubject(files(openings), 3).at(-1)).toBe('4 comments open without a subject, at most 3')
})
