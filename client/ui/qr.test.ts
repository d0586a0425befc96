import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { readQr } from './plainReader.ts'
import { drawQr } from './qr.ts'

const wasm = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } })

const PIXELS = 8

/** Renders the drawing as a camera sees it, with each run of the path in black. */
function pictureOf({ sizeModules, path }: { sizeModules: number; path: string }): ImageData {
  const side = sizeModules * PIXELS
  const data = new Uint8ClampedArray(side * side * 4).fill(255)
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let at = 0; at < Number(length) * PIXELS * PIXELS; at++) {
      const row = Number(y) * PIXELS + Math.floor(at / (Number(length) * PIXELS))
      const column = Number(x) * PIXELS + (at % (Number(length) * PIXELS))
      data.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3)
    }
  }
  return { data, width: side, height: side, colorSpace: 'srgb' }
}

test('What a drawn code says is what the reader reads', async () => {
  const text = 'conclave:3NyR1vJr0bS-qk9wZlHkW8uJ5p3XjJb8P6nN2f0cQeY'
  const [found] = await readBarcodes(pictureOf(drawQr(text)), { formats: ['QRCode'] })
  expect(found?.text).toBe(text)
})

test('A browser without WebAssembly reads the same, says nothing of a picture without a code, and hides no error of ours', async () => {
  const text = 'conclave:3NyR1vJr0bS-qk9wZlHkW8uJ5p3XjJb8P6nN2f0cQeY'
  expect(await readQr(pictureOf(drawQr(text)))).toBe(text)
  expect(await readQr({ data: new Uint8ClampedArray(64 * 64 * 4).fill(255), width: 64, height: 64 } as ImageData)).toBeUndefined()
  await expect(readQr({ data: new Uint8ClampedArray(9), width: 64, height: 64 } as ImageData)).rejects.toThrow('expected')
})

test('The code keeps two modules of white around it', () => {
  const { sizeModules, path } = drawQr('A'.repeat(43))
  const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)/g)].map(([, x, y, length]) => [Number(x), Number(y), Number(length)])
  const columns = runs.flatMap(([x = 0, , length = 0]) => [x, x + length])
  const rows = runs.map(([, y = 0]) => y)
  expect(Math.min(...columns)).toBe(2)
  expect(Math.min(...rows)).toBe(2)
  expect(Math.max(...columns)).toBe(sizeModules - 2)
  expect(Math.max(...rows)).toBe(sizeModules - 3)
})

test('Nothing is not drawn as a code, and neither is what does not fit', () => {
  expect(() => drawQr('')).toThrow()
  expect(() => drawQr('x'.repeat(3000))).toThrow()
})
