import { afterEach, expect, test, vi } from 'vitest'
import { readsPixels } from './readsPixels.ts'

afterEach(() => vi.unstubAllGlobals())

/** Stubs a canvas that gives each pixel of what was drawn through this. */
function canvasThat(gives: (value: number) => number): void {
  class Canvas {
    getContext() {
      return {
        fillStyle: '',
        fillRect: () => undefined,
        getImageData(_x: number, _y: number, width: number, height: number) {
          const [red = 0, green = 0, blue = 0] = this.fillStyle.match(/\d+/g)?.map(Number) ?? []
          const data = Uint8ClampedArray.from({ length: width * height * 4 }, (_, at) => [red, green, blue, 255][at % 4] ?? 0)
          return { data: data.map(gives) }
        },
      }
    }
  }
  vi.stubGlobal('OffscreenCanvas', Canvas)
}

test('A page that gets what it has drawn, or nearly, reads pictures', () => {
  canvasThat((value) => value)
  expect(readsPixels()).toBe(true)
  canvasThat((value) => value ^ 1)
  expect(readsPixels()).toBe(true)
})

test('A page that gets noise, or white alone, reads none', () => {
  let seed = 7
  canvasThat(() => {
    seed = (seed * 75 + 74) % 65537
    return seed % 256
  })
  expect(readsPixels()).toBe(false)
  canvasThat(() => 255)
  expect(readsPixels()).toBe(false)
})

test('A browser that draws nothing at all reads none; one without such a canvas is not asked', () => {
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext = () => null
    },
  )
  expect(readsPixels()).toBe(false)
  vi.stubGlobal('OffscreenCanvas', undefined)
  expect(readsPixels()).toBe(true)
})
