import { IDBFactory } from 'fake-indexeddb'
import { expect, test, vi } from 'vitest'
import { concat, utf8 } from '../../contract/ground/bytes.ts'
import { giveAway, givenIn } from './primitives/given.ts'
import { release } from './primitives/release.ts'

const kept = utf8('the worker has these still')
vi.mock('./core.ts', () => ({
  createCore: () => ({
    keeps: async () => kept,
    gives: async () => giveAway(utf8('a batch')),
    fails: () => Promise.reject(new Error('no')),
  }),
}))

test('The page gets what a verb gives away without a copy, and a copy of everything else', async () => {
  const posted: unknown[][] = []
  const worker: { onmessage?: (message: unknown) => Promise<void> } = {}
  vi.stubGlobal('indexedDB', new IDBFactory())
  vi.stubGlobal('self', Object.assign(worker, { postMessage: (...sent: unknown[]) => void posted.push(sent) }))
  await import('./answering.ts')
  for (const verb of ['keeps', 'gives', 'fails']) await worker.onmessage?.({ data: { id: 1, verb, input: [] } })
  expect(posted.map(([, given]) => given)).toEqual([[], [expect.any(ArrayBuffer)], []])
  expect(posted[1]?.[0]).toEqual({ id: 1, ok: true, value: utf8('a batch') })
})

test('What is released is empty, once and for every view of it', () => {
  const whole = giveAway(concat(utf8('a batch')))
  release(undefined, whole.subarray(2), whole)
  release(whole)
  expect([whole.length, givenIn(utf8('another'))]).toEqual([0, []])
})
