import { expect, test } from 'vitest'
import { everyEndpoint } from '../contract/every.ts'
import { DEAREST } from './dearest.ts'

test('no call is left out where the dearest requests are measured', () => {
  expect(Object.keys(DEAREST).sort()).toEqual(everyEndpoint.map(({ method, path }) => `${method} ${path}`).sort())
})
