import { expect, test } from 'vitest'
import { blocksOf } from './textBlocks.ts'

const drawn = (text: string) =>
  blocksOf(text).map(({ kind, from, to, lines }) =>
    kind === 'words' ? text.slice(from, to) : { [kind]: lines.map((line) => `${line.sign}|${text.slice(line.from, line.to)}`) },
  )

test('Lines with "> " are a quote, two lines or more with a sign a list, and the rest stays words', () => {
  expect(drawn('He said:\n> the door\n> is marked\nand left')).toEqual([
    'He said:',
    { quote: ['|the door', '|is marked'] },
    'and left',
  ])
  expect(drawn('- one\n- two\n\n1. first\n2) second')).toEqual([
    { list: ['-|one', '-|two'] },
    '',
    { list: ['1.|first', '2)|second'] },
  ])
})

test('A line alone is no list, a face no quote, and words around them stay whole', () => {
  for (const text of [
    'a\n- Marcus\nb',
    '>:( no',
    '>no',
    '-5 degrees\n-6 degrees',
    '1.5 million\n2.5 million',
    'plain',
    '',
    '- \n- ',
  ])
    expect(drawn(text), text).toEqual([text])
})

test('In a block of code nothing is a quote or a list', () => {
  const text = 'see\n```\n> a\n- b\n- c\n```\n> d'
  expect(drawn(text)).toEqual(['see\n```\n> a\n- b\n- c\n```', { quote: ['|d'] }])
})

test('A text of thousands of lines is cut once', () => {
  expect(blocksOf('> a\n- b\n'.repeat(50_000)).length).toBeGreaterThan(50_000)
})
