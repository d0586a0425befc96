import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { Refusal } from '../../refuse.ts'
import { readJson } from './body.ts'

const book = randomBytes(LIMITS.bodyBytes).toString('base64')
const read = (json: string) => readJson(Buffer.from(json))

test('an address book comes out of a long body as it was sent', () => {
  const bodies = [
    { book: { sealed: book, version: 2 }, order: 'x' },
    [book, [book, { more: `${book} with spaces` }], 'ä', `ä${book}`, `${book}🥊`, null, 1],
    { quoted: `${book}"${book}`, line: `${book}\n`, slash: `${book}\\`, sealed: book, end: `${book}\\"` },
    book,
  ]
  for (const body of bodies) expect(read(JSON.stringify(body))).toEqual(body)
})

test('Eve sends long bodies that are no JSON, or that would crash the database or reach a prototype: all are refused', () => {
  for (const json of [
    `{"a":"${book}`,
    `{"a":"${book}"`,
    `{"a":"${book}""b"}`,
    `{"a":"${book}\n"}`,
    `{"a":"${book}\0"}`,
    `{"a":"${book}\\u0000"}`,
    `{"a":"${book}","__proto__":{}}`,
    `{"a":"${book}","\\u005f_proto__":{}}`,
    `{"a":"${book}","constructor":{"prototype":{}}}`,
  ])
    expect(() => read(json), json.slice(-40)).toThrow(Refusal)
})
