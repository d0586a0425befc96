import { expect, test } from 'vitest'
import { fold, needlesOf } from './foldText.ts'
import { snippetOf } from './snippet.ts'

test.each([
  ['Hello, World!', ' hello world'],
  ['  two\n\tlines  ', ' two lines'],
  ['Café CAFÉ cafe\u0301', ' cafe cafe cafe'],
  ['Straße STRASSE ẞ', ' strasse strasse ss'],
  ['Łódź Þór Ærø œuvre Đà Nẵng', ' lodz thor aero oeuvre da nang'],
  ['İstanbul ISTANBUL ılık', ' istanbul istanbul ilik'],
  ['ΣΊΣΥΦΟΣ Σίσυφος', ' σισυφοσ σισυφοσ'],
  ['Ёлка елка', ' елка елка'],
  ['ﬁne ＡＢＣ ①²', ' fine abc 12'],
  ["don't don’t we'll Bob's", ' dont dont well bobs'],
  ["l'amour dell’arte 'quoted'", ' l amour dell arte quoted'],
  ['snake_case e-mail bob@example.org 3.14', ' snake case e mail bob example org 3 14'],
  ['你好，世界 iPhone手机', ' 你 好 世 界 iphone 手 机'],
  ['ภาษาไทย', ' ภ า ษ า ไ ท ย'],
  ['しんぶん ガ', ' し ん ふ\u3099 ん カ\u3099'],
  ['שָׁלוֹם كِتَاب', ' שלום كتاب'],
  ['हिन्दी', ' हिन्दी'],
  ['👍🏽 c++ $5', ' 👍 🏽 c + + $ 5'],
  ['soft\u00adhyphen zero\u200bwidth', ' softhyphen zero width'],
  ['?!… \u0301', ''],
])('%j says %j to the search', (text, folded) => {
  expect(fold(text)).toBe(folded)
})

test('A query is looked for by its longest word first, each word once', () => {
  expect(needlesOf('  to Amsterdam, TO ')).toEqual(['amsterdam', 'to'])
  expect(needlesOf('?!')).toEqual([])
})

const marked = (text: string, query: string) => {
  const snippet = snippetOf(text, needlesOf(query))
  return snippet.marks.map(([from, to]) => snippet.text.slice(from, to))
}

test('The marks of a result stand on the original text, whatever folding did to its length', () => {
  expect(marked('Die Straße, ﬁne: Cafe\u0301s', 'strass cafe FIN')).toEqual(['Straß', 'ﬁn', 'Cafe\u0301'])
  expect(marked('👩‍👩‍👧 at 北京大学', '京大 👩')).toEqual(['👩‍', '👩‍', '京大'])
  expect(marked("Don't, dont", "don't")).toEqual(["Don't", 'dont'])
})

test.each(['needle', 'needles'])('A long message is shown around %j, on one line, and no emoji is cut in two', (word) => {
  for (const before of ['word '.repeat(100), '']) {
    const long = `${'🙂'.repeat(300)}\n${before}${word} ${'🙃'.repeat(300)}`
    const { text, marks } = snippetOf(long, needlesOf('needle'))
    expect(marks.map(([from, to]) => text.slice(from, to))).toEqual(['needle'])
    expect(text.length).toBeLessThan(250)
    expect(text).toMatch(/^….*…$/)
    expect(() => encodeURIComponent(text)).not.toThrow()
  }
})

test('Any part of a word is marked, also behind the part of a long message that a result shows', () => {
  expect(marked('At the stationery', 'tion')).toEqual(['tion'])
  const long = `${'word '.repeat(100)}needles`
  const places = snippetOf(long, needlesOf('eedl')).places
  expect(places.map(([from, to]) => long.slice(from, to))).toEqual(['eedl'])
})

test('One letter, and a word with a sign in it, begin where a word begins', () => {
  expect(marked('the mail is no e-mail', 'e-mail')).toEqual(['e-mail'])
  expect(marked('at a park', 'a')).toEqual(['a', 'a'])
})
