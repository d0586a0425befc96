import { expect, test } from 'vitest'
import { detailOf } from './rowDetail.tsx'

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `${from + at}`)
const set = (from: number, to: number) => new Set(ids(from, to))

test('A list at rest shows each row in full, also one that comes', () => {
  expect(detailOf(ids(0, 10), { full: new Set(), before: new Set(), isScrolling: false })).toEqual(set(0, 10))
  expect(detailOf(ids(0, 11), { full: set(0, 10), before: set(0, 10), isScrolling: false })).toEqual(set(0, 11))
})

test('A list that is scrolled slowly shows each row in full', () => {
  expect(detailOf(ids(2, 12), { full: set(0, 10), before: set(0, 10), isScrolling: true })).toEqual(set(2, 12))
})

test('Of a list that goes by fast, rows that come show no more than names until it is slow again, then a few in each frame', () => {
  const fast = detailOf(ids(6, 26), { full: set(0, 20), before: set(0, 20), isScrolling: true })
  expect(fast).toEqual(set(6, 20))
  expect(detailOf(ids(30, 50), { full: fast, before: set(6, 26), isScrolling: true })).toEqual(new Set())
  const first = detailOf(ids(30, 50), { full: new Set(), before: set(30, 50), isScrolling: true })
  expect(first).toEqual(new Set(['39', '40', '41', '38']))
  let full: ReadonlySet<string> = first
  for (const isScrolling of [true, false, false, false]) full = detailOf(ids(30, 50), { full, before: set(30, 50), isScrolling })
  expect(full).toEqual(set(30, 50))
})
