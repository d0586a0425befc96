// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { hasColour } from './emojiFont.ts'

vi.mock('./readsPixels.ts', () => ({ TOLERANCE: 8, readsPixels: () => canRead }))

let canRead = true

/** What the canvas shows of an emoji: one pixel of 16 by 16 is not black. */
function draws(pixel: readonly number[]) {
  const data = new Uint8ClampedArray(16 * 16 * 4)
  data.set([...pixel, 255], 4 * 40)
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({
    fillText: () => undefined,
    getImageData: () => ({ data }),
  } as unknown as RenderingContext)
}

test.each([
  ['a face in yellow', [250, 200, 20], true],
  ['a box in black', [0, 0, 0], false],
  ['a grey letter of another font', [120, 120, 120], false],
  ['a grey letter with a little noise', [120, 124, 117], false],
] as const)('A system that draws %s has emoji: %s %s', (_, pixel, has) => {
  canRead = true
  draws([...pixel])
  expect(hasColour()).toBe(has)
})

test('Where a page gets noise for pixels nothing is loaded', () => {
  canRead = false
  draws([0, 0, 0])
  expect(hasColour()).toBe(true)
})
