import { expect, test } from 'vitest'
import { moved, squareOf, WHOLE, zoomed } from './crop.ts'

const wide = { width: 400, height: 200 }

test('A wide picture shows its middle, as large as a square can be', () => {
  expect(squareOf(wide, WHOLE)).toEqual({ left: 100, top: 0, side: 200 })
})

test('However far it is moved, the square never leaves the picture', () => {
  expect(squareOf(wide, moved(wide, WHOLE, 9, 9))).toEqual({ left: 0, top: 0, side: 200 })
  const near = zoomed(wide, WHOLE, 4)
  expect(squareOf(wide, moved(wide, near, -90, -90))).toEqual({ left: 350, top: 150, side: 50 })
})

test('After it was pushed far over the edge, one step back moves it at once', () => {
  const pushed = moved(wide, WHOLE, 99, 0)
  expect(squareOf(wide, moved(wide, pushed, -0.1, 0)).left).toBeCloseTo(20)
})

test('Going nearer keeps the centre, and going back out of a corner stays inside', () => {
  const corner = moved(wide, zoomed(wide, WHOLE, 5), 9, 9)
  expect(squareOf(wide, corner)).toEqual({ left: 0, top: 0, side: 40 })
  expect(squareOf(wide, zoomed(wide, corner, 1))).toEqual({ left: 0, top: 0, side: 200 })
  expect(squareOf(wide, zoomed(wide, WHOLE, 2))).toEqual({ left: 150, top: 50, side: 100 })
  expect(zoomed(wide, WHOLE, 99).zoom).toBe(5)
})
