import { expect, test } from 'vitest'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { makeKit, readKit } from './kit.ts'

/** 32 zero bytes, from the test vectors of BIP-39. */
const ZEROS = `${'abandon '.repeat(23)}art`

test('A new kit is 24 words, and typing them yields the same way in and the same secret for the server', async () => {
  const { words, seed, kitSecret } = await makeKit()
  expect(words).toHaveLength(24)
  expect(await readKit(words.join(' '))).toEqual({ seed, kitSecret })
  expect((await makeKit()).words).not.toEqual(words)
})

test('What the server sees of a kit is not what opens the keyring', async () => {
  const { seed, kitSecret } = await readKit(ZEROS)
  // Computed by another implementation of HKDF: a kit on paper must still open in ten years.
  expect(kitSecret).toBe('xIARToWEaFkCOxTbRTwLBpGv-JAucYIs4eaV9216qeQ')
  expect(toBase64(seed)).toBe('mJ3CFTgq//AumQUQq8CtxF8ylcMJ/f8rzOo1kqy7Bls=')
})

test('Words are read in any case, with numbers, commas and line breaks between them, or by their first four letters', async () => {
  const kit = await makeKit()
  const lines = kit.words.map((word, at) => `${at + 1}. ${word}`).join('\r\n')
  const short = kit.words.map((word) => word.slice(0, 4)).join(' ')
  const typed = [
    ` ${kit.words.join('\t ').toUpperCase()}\n`,
    lines,
    kit.words.map((word, at) => `${at + 1} ${word};`).join(' '),
    kit.words.map((word, at) => `${at + 1}.${word},`).join(''),
    kit.words.map((word) => `- ${word}`).join('\n'),
    short,
  ]
  for (const words of typed) expect(await readKit(words)).toMatchObject({ kitSecret: kit.kitSecret })
})

test('What is wrong with the words is said: an unknown word and its place, their number, or that they do not belong together', async () => {
  const words = ZEROS.split(' ')
  const wrong = (typed: string) =>
    readKit(typed).then(
      () => 'opens',
      ({ code, message }) => `${code}: ${message}`,
    )
  expect(await wrong(words.with(6, 'abandom').join(' '))).toBe('kit_words: Word 7, "abandom", is not a word of a recovery kit')
  expect(await wrong(words.with(6, 'aband0n').join(' '))).toBe('kit_words: Word 7, "aband0n", is not a word of a recovery kit')
  expect(await wrong(words.slice(1).join(' '))).toBe('kit_words: A recovery kit has 24 words. These are 23')
  expect(await wrong('Zoo')).toBe('kit_words: A recovery kit has 24 words. This is 1')
  expect(await wrong('')).toBe('kit_words: A recovery kit has 24 words. These are 0')
  expect(await wrong(words.with(23, 'zoo').join(' '))).toMatch(/^kit_words: These words do not belong together/)
})
