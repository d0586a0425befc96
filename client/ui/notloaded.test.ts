import { expect, test } from 'vitest'
import { isNotLoaded } from './notloaded.ts'

test.each([
  'Failed to fetch dynamically imported module: https://conclave.example/assets/Settings-x1.js',
  'error loading dynamically imported module: https://conclave.example/assets/Settings-x1.js',
  'Importing a module script failed.',
  'Unable to preload CSS for /assets/Settings-x1.css',
])('The person is told that a part did not load, whichever browser says so: %s', (message) => {
  expect(isNotLoaded(new TypeError(message))).toBe(true)
})

test('A bug is not called a bad connection', () => {
  for (const odd of [
    new TypeError('Cannot read properties of undefined'),
    new Error(''),
    'Importing a module script failed.',
    null,
  ])
    expect(isNotLoaded(odd)).toBe(false)
})
