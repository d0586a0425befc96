import { expect, test } from 'vitest'
import { KIT_WORDS, kitCode, listWords, loadWordlist, pickPlaces, readKit, wordsIn, wrongPlaces } from './kit.ts'

const WORDS = Array.from({ length: KIT_WORDS }, (_, at) => ['ocean', 'river', 'window', 'garden'][at % 4] ?? '')

test('words are read whatever stands between them: spaces, lines, numbers, capitals', () => {
  expect(wordsIn(' 1. Ocean\n2) RIVER,window\t4 garden.')).toEqual(['ocean', 'river', 'window', 'garden'])
  expect(wordsIn('océan')).toEqual(['ocean'])
  expect(wordsIn('24 7 ...')).toEqual([])
})

test('what the code of a kit holds is read as the words again', () => {
  expect(wordsIn(kitCode(WORDS))).toEqual(WORDS)
})

test('the word being typed is not called unknown before it ends', async () => {
  const wordlist = await loadWordlist()
  expect(readKit('ocean riv', wordlist)).toEqual({ count: 2, unknown: [] })
  expect(readKit('ocean riv ', wordlist)).toEqual({ count: 2, unknown: ['riv'] })
  expect(readKit('ocean rivx', wordlist)).toEqual({ count: 2, unknown: ['rivx'] })
})

test('the first four letters stand for a word, three do not', async () => {
  const wordlist = await loadWordlist()
  expect(readKit('ocea rive gard ', wordlist)).toEqual({ count: 3, unknown: [] })
  expect(readKit('oce riv gar ', wordlist).unknown).toEqual(['oce', 'riv', 'gar'])
  expect(wrongPlaces(WORDS, { 1: 'ocea', 2: 'riv', 3: 'windows' }, [1, 2, 3])).toEqual([2, 3])
})

test('each unknown word is named once, in its order', async () => {
  const wordlist = await loadWordlist()
  expect(readKit('oshun river oshun vindow ', wordlist)).toEqual({ count: 4, unknown: ['oshun', 'vindow'] })
  expect(readKit(`${WORDS.join(' ')} `, wordlist)).toEqual({ count: 24, unknown: [] })
})

test('unknown words are named as a sentence, and a wrong paste does not fill the screen', () => {
  expect(listWords(['oshun'])).toBe('“oshun”')
  expect(listWords(['oshun', 'vindow'])).toBe('“oshun” and “vindow”')
  expect(listWords(['a', 'b', 'c', 'd', 'e'])).toBe('“a”, “b”, “c” and 2 more')
})

test('three different places are asked for, in order, and every place gets its turn', () => {
  const seen = new Set<number>()
  for (let round = 0; round < 500; round++) {
    const places = pickPlaces()
    expect(new Set(places).size).toBe(3)
    expect([...places].sort((a, b) => a - b)).toEqual(places)
    for (const place of places) seen.add(place)
  }
  expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: KIT_WORDS }, (_, at) => at + 1))
})

test('what was typed is checked place by place, and the wrong ones are named', () => {
  expect(wrongPlaces(WORDS, { 1: ' Ocean', 6: 'river', 24: 'GARDEN ' }, [1, 6, 24])).toEqual([])
  expect(wrongPlaces(WORDS, { 1: 'river', 6: 'river', 24: '' }, [1, 6, 24])).toEqual([1, 24])
  // The whole kit in one field does not prove that word.
  expect(wrongPlaces(WORDS, { 1: WORDS.join(' '), 6: 'river', 24: 'garden' }, [1, 6, 24])).toEqual([1])
})
