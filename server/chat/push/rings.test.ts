import { expect, test } from 'vitest'
import { makeRings } from './rings.ts'

/** Work that ends when it is told to. */
function held(did: string[], name: string) {
  const settled: { ends?: () => void; fails?: (error: Error) => void } = {}
  const promise = new Promise<void>((ends, fails) => Object.assign(settled, { ends, fails }))
  const work = () => {
    did.push(name)
    return promise
  }
  return { work, ends: () => settled.ends?.(), fails: (error: Error) => settled.fails?.(error) }
}

const turns = async () => {
  for (let count = 0; count < 20; count++) await Promise.resolve()
}

test('what ends a ring waits for the ring, so that no slow push service shows them the other way round; other calls wait for nobody', async () => {
  const [rings, did] = [makeRings(() => new Date()), [] as string[]]
  rings.start(() => undefined)
  const [first, last, other] = [held(did, 'ring'), held(did, 'missed'), held(did, 'another call')]
  rings.begin('one', first.work)
  await turns()
  rings.end('one', last.work)
  rings.begin('two', other.work)
  await turns()
  expect(did).toEqual(['ring', 'another call'])
  first.ends()
  await turns()
  expect(did).toEqual(['ring', 'another call', 'missed'])
  rings.begin('one', held(did, 'too late').work)
  await turns()
  expect(did).toHaveLength(3)
})

test('a ring that fails is reported and holds up nothing, and a server that stops waits for what has begun and begins no more', async () => {
  const [rings, did, reported] = [makeRings(() => new Date()), [] as string[], [] as unknown[]]
  rings.begin('before anybody listens', held(did, 'too early').work)
  rings.start((error) => reported.push(error))
  const [first, last] = [held(did, 'ring'), held(did, 'missed')]
  rings.begin('one', first.work)
  rings.end('one', last.work)
  const failure = new Error('planted')
  await turns()
  first.fails(failure)
  await turns()
  expect([did, reported]).toEqual([['ring', 'missed'], [failure]])
  let hasStopped = false
  const stopped = rings.stop().then(() => {
    hasStopped = true
  })
  rings.begin('two', held(did, 'too late').work)
  await turns()
  expect(hasStopped).toBe(false)
  last.ends()
  await stopped
  expect(did).toEqual(['ring', 'missed'])
})

test('a call is remembered for five minutes', async () => {
  let now = 0
  const [rings, told] = [makeRings(() => new Date(now)), [] as number[]]
  rings.start(() => undefined)
  const notes = () => rings.begin('one', async (rung) => void told.push(rung.told.add(`${now}`).size))
  for (const ms of [0, 299_999, 300_000]) {
    now = ms
    notes()
    await turns()
  }
  expect(told).toEqual([1, 2, 1])
})
