import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { opening } from './lazyParts.ts'

let isOffline = true
vi.mock('./primitives/loadPart.ts', () => {
  let calls = 0
  return {
    async loadPart<T>(load: () => Promise<T>): Promise<T> {
      calls += 1
      if (isOffline) throw new Error('offline')
      // The second call finds the code there.
      if (calls === 2) await pause(50)
      return await load()
    },
  }
})

test('The pieces of a file never overtake its opening, however late its code comes, also after an attempt without a connection', async () => {
  await expect(opening()).rejects.toThrow('offline')
  isOffline = false
  const order: string[] = []
  await Promise.all([opening().then(() => order.push('opening')), opening().then(() => order.push('piece'))])
  expect(order).toEqual(['opening', 'piece'])
})
