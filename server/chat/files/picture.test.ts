import { expect, test } from 'vitest'
import { pictureBytes } from '../../testing/picture.ts'
import { pictureOf } from './picture.ts'

const read = (bytes: Uint8Array) => pictureOf(Buffer.from(bytes))

test('A JPG, PNG or GIF is known by its first bytes, with the size that it has', () => {
  const size = { width: 1200, height: 800 }
  expect(read(pictureBytes('png', size))).toEqual({ mediaType: 'image/png', ...size })
  expect(read(pictureBytes('gif', size))).toEqual({ mediaType: 'image/gif', ...size })
  expect(read(pictureBytes('jpeg', size))).toEqual({ mediaType: 'image/jpeg', ...size })
})

test('Whatever only calls itself a picture is none', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  for (const text of [
    '%PDF-1.7 and a few more bytes of it',
    svg,
    '<!doctype html><p>hello, this is a page',
    'RIFF....WEBPVP8 ....',
    '',
  ])
    expect(pictureOf(Buffer.from(text))).toBeUndefined()
  expect(pictureOf(Buffer.from('GIF89a'))).toBeUndefined()
  expect(read(pictureBytes('png').with(12, 0x69))).toBeUndefined()
})

test('A JPEG whose segments lead nowhere is read to its end and no further', () => {
  const endless = Buffer.from([0xff, 0xd8, ...Array<number>(200).fill(0xff)])
  expect(pictureOf(endless)).toBeUndefined()
  const outside = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, ...Array<number>(40).fill(0)])
  expect(pictureOf(outside)).toBeUndefined()
  const nowhere = Buffer.from([0xff, 0xd8, ...Array.from({ length: 50 }, () => [0xff, 0xe0, 0, 0]).flat()])
  expect(pictureOf(nowhere)).toBeUndefined()
})
