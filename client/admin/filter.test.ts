import { expect, test } from 'vitest'
import { type Filter, filterOf, paramsOf } from './filter.ts'

const FIRST: Filter = { search: '', tier: '', state: '', sort: 'joined', page: 1 }

test('what is searched and filtered stands in the address and is read from there, beside the tab', () => {
  const filter: Filter = { search: 'ann & bob', tier: 'premium', state: 'admin', sort: 'seen', page: 3 }
  const params = paramsOf(new URLSearchParams('tab=users'), filter)
  expect(params.get('tab')).toBe('users')
  expect(filterOf(new URLSearchParams(String(params)))).toEqual(filter)
  expect(String(paramsOf(params, FIRST))).toBe('tab=users')
})

test('an address that somebody has written asks for nothing that the server refuses', () => {
  const typed = new URLSearchParams({ search: ` ${'x'.repeat(60)}`, tier: 'gold', state: 'gone', sort: 'size', page: '-1' })
  expect(filterOf(typed)).toEqual({ ...FIRST, search: 'x'.repeat(50) })
  // Half a letter, where a paste was cut off, is read as it is written, or the page would write it again and again.
  const { search } = filterOf(new URLSearchParams({ search: 'ann\ud83d' }))
  expect(filterOf(paramsOf(typed, { ...FIRST, search })).search).toBe(search)
  for (const page of ['0', 'two', '1e9', '']) expect(filterOf(new URLSearchParams({ page })).page).toBe(1)
})
