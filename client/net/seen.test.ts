import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { NOTHING_SEEN } from '../sw/builds.ts'
import { keptMemory } from './seen.ts'

test('What a browser has seen of the server’s code is kept, and nothing is seen before the first time', async () => {
  expect(await keptMemory.read()).toEqual(NOTHING_SEEN)
  const seen = { key: 'k'.repeat(43), newest: { version: '1.2.3', contract: 4 } }
  await keptMemory.write(seen)
  expect(await keptMemory.read()).toEqual(seen)
  await keptMemory.write({ ...seen, key: 'n'.repeat(43) })
  expect((await keptMemory.read()).key).toBe('n'.repeat(43))
})
