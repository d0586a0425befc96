// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { contentWords } from '../../../contract/chat/kinds/kinds.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import type { Range } from '../../ui/textPieces.ts'
import { Bubble } from './Bubble.tsx'
import type { ShownMessage } from './store.ts'

openScreen()

const says = (text: string, marks?: Range[]) => {
  const message = {
    ...{ id: 'm1', seq: 1, at: '2026-11-26T10:00:00.000Z', senderId: 'b1', isMine: false, status: undefined },
    body: { kind: 'text', text },
  } as unknown as ShownMessage
  const given = { message, marks, name: 'Bob', startsRun: true, hasTime: true, isTabStop: true }
  return show(<Bubble {...given} onUpgrade={() => undefined} />, makeAnswers())
}
const lines = (count: number, mark = '\n') => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join(mark)
const shown = () => document.querySelector('.bub p')?.textContent ?? ''

test.each([
  ['line feeds', '\n'],
  ['returns', '\r'],
  ['separators', '\u2028'],
])('A text of 4,000 lines (%s) shows twenty and a button, which the keyboard opens and closes', async (_, mark) => {
  const { person } = says(lines(4000, mark))
  expect(shown()).toContain('line 20…')
  expect(shown()).not.toContain('line 21')
  await person.tab()
  await person.tab()
  const button = screen.getByRole('button', { name: 'Show all (4,000 lines)', expanded: false })
  expect(document.activeElement).toBe(button)
  await person.keyboard('{Enter}')
  expect(shown()).toContain('line 4000')
  await person.click(screen.getByRole('button', { name: 'Show less', expanded: true }))
  expect(shown()).not.toContain('line 21')
})

test('A word that was found behind the fold opens the text', () => {
  const text = lines(500)
  const at = text.indexOf('line 321')
  says(text, [[at, at + 8]])
  expect(document.querySelector('mark')?.textContent).toBe('line 321')
})

test('One endless line is folded too, never in the middle of a character; a usual text is not', () => {
  says('😀'.repeat(9999))
  expect(shown()).toMatch(/^(😀)+…Show all \(19,998 characters\)/u)
  says(`${lines(30)} ${'word '.repeat(500)}`)
  expect(screen.getAllByRole('button', { name: /^Show (all|less)/ })).toHaveLength(1)
})

test.each(['', ' \n\t ', '\u200b\u200e\u2060', '\u2800', '\u3164\u00ad'])(
  'A text in which nothing can be seen (%j) makes no empty bubble: it says so, in the chat and in the list',
  (text) => {
    says(text)
    expect(shown()).toMatch(/^Empty message/)
    expect(contentWords({ type: 'text', text })).toBe('Empty message')
  },
)

test('Formatting is made of nodes: a quote and a list are named, HTML stays words, and a search marks them where they stand', async () => {
  const text = '*<b>x</b>* _one_ ~two~\n> marked door\n- first\n- second'
  says(text, [[text.indexOf('door'), text.indexOf('door') + 4]])
  const quote = await screen.findByRole('blockquote')
  const drawn = [...document.querySelectorAll('.bub p :is(b, i, s)')].map(
    ({ tagName, textContent }) => `${tagName} ${textContent}`,
  )
  expect(drawn).toEqual(['B <b>x</b>', 'I one', 'S two'])
  expect(quote.querySelector('mark')?.textContent).toBe('door')
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['•first', '•second'])
})
