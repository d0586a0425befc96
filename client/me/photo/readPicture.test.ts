import { afterEach, expect, test, vi } from 'vitest'
import { gif, jpeg, png } from '../../testing/pictures.ts'
import { readPicture } from './readPicture.ts'

afterEach(() => vi.unstubAllGlobals())

const GIF = 'GIF89a'
const SIDES = [640, 480] as const
const file = (content: BlobPart, name: string, type = 'image/jpeg') => new File([content], name, { type })
const decodes = (decode: () => Promise<unknown>) => vi.stubGlobal('createImageBitmap', vi.fn(decode))
const why = (chosen: File) => readPicture(chosen).catch((error: Error) => error.message)

test('A file of 6 MB is named with its size, and is not read', async () => {
  decodes(() => expect.fail('read'))
  expect(await why(file(new Uint8Array(6_000_000), 'holiday.jpg'))).toBe(
    '“holiday.jpg” has 5.8 MB. A photo may have at most 5 MB.',
  )
  expect(await why(file(new Uint8Array(5 * 1024 * 1024 + 1), 'edge.jpg'))).toContain('has 5.1 MB')
})

test.each([
  ['%PDF-1.7', 'report.jpg'],
  ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'logo.png'],
  ['RIFF\0\0\0\0WEBPVP8 ', 'photo.gif'],
  ['', 'empty.png'],
])('A file that begins with %s is no picture, whatever its name and type say', async (content, name) => {
  decodes(() => expect.fail('drawn'))
  expect(await why(file(content, name))).toBe(`“${name}” is not a JPG, PNG or GIF picture, whatever its name says.`)
})

test('A picture that the browser cannot read is said to be damaged', async () => {
  decodes(() => Promise.reject(new DOMException('no', 'InvalidStateError')))
  expect(await why(file(gif(SIDES, SIDES), 'cat.gif'))).toBe('“cat.gif” is damaged: this browser cannot read it.')
})

test.each([
  [gif(SIDES, SIDES), 'cat.gif'],
  [jpeg(SIDES), 'photo.jpg'],
  [png(SIDES), 'face.png'],
])('A GIF, JPG or PNG is read as it is held, whatever the file calls itself', async (content, name) => {
  decodes(async () => 'pixels')
  expect(await readPicture(file(content, name, ''))).toBe('pixels')
})

test.each([
  [gif([1, 1], [20_000, 20_000]), 'cat.gif'],
  [jpeg([20_000, 20_000], 600_000), 'photo.jpg'],
  [png([1, 1], [20_000, 20_000]), 'face.png'],
])('A picture of a few bytes that would fill the memory is named with its size, and never unpacked', async (content, name) => {
  decodes(() => expect.fail('unpacked'))
  expect(await why(file(content, name))).toBe(`“${name}” has 20000 × 20000 pixels, which is too many.`)
})

test('A picture that cannot be measured is not unpacked either', async () => {
  decodes(() => expect.fail('unpacked'))
  expect(await why(file(GIF, 'cat.gif'))).toBe('“cat.gif” is damaged: this browser cannot read it.')
})

test('Where a page gets noise for pictures no photo is made, and that is said by name', async () => {
  decodes(() => expect.fail('drawn'))
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext = () => null
    },
  )
  expect(await why(file(png(SIDES), 'face.png'))).toContain('does not let a page read pictures, so no photo can be made')
})
