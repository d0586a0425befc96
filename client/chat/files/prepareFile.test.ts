import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { jpeg } from '../../testing/pictures.ts'
import { prepare } from './prepareFile.ts'

const SIDES = [2400, 1800] as const

beforeEach(() => {
  vi.stubGlobal('createImageBitmap', async () => ({ width: SIDES[0], height: SIDES[1], close: () => undefined }))
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext = () => null
    },
  )
})
afterEach(() => vi.unstubAllGlobals())

test('Where a page gets noise for pictures, one goes as it is, without metadata and without a small copy', async () => {
  const chosen = new File([jpeg(SIDES)], 'holiday.jpg', { type: 'image/jpeg' })
  const { file, about } = await prepare(chosen, { caption: '', isSmaller: true })
  expect(about).toMatchObject({ as: 'image', name: 'holiday.jpg', picture: { width: 2400, height: 1800, thumbnail: '' } })
  expect(file.size).toBeLessThan(chosen.size)
  expect(await file.text()).not.toContain('Exif')
})

test('A kind that would have to be drawn anew goes as a document there', async () => {
  const chosen = new File(['\0\0\0\x1cftypavif'], 'holiday.avif', { type: 'image/avif' })
  expect((await prepare(chosen, { caption: '', isSmaller: false })).about).toMatchObject({ as: 'file', name: 'holiday.avif' })
})
