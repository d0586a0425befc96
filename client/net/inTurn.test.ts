import { expect, test } from 'vitest'
import { inLanes, inTurn } from './inTurn.ts'

test('a list is worked through a few at a time, in its order, each once', async () => {
  let running = 0
  let most = 0
  const started: number[] = []
  await inLanes(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    started.push(item)
    running += 1
    most = Math.max(most, running)
    await Promise.resolve()
    running -= 1
  })
  expect(started).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
  await inLanes(3, [], () => Promise.reject(new Error('nothing to do')))
})

test('after a failure nothing new begins, what runs comes to its end, and the failure is thrown', async () => {
  const ended: number[] = []
  const working = inLanes(2, [1, 2, 3, 4], async (item) => {
    if (item === 1) throw new Error('the first')
    await Promise.resolve()
    ended.push(item)
  })
  await expect(working).rejects.toThrow('the first')
  expect(ended).toEqual([2])
})

test('work under one name follows in the order of asking, also after a failure, and no other page waits for it', async () => {
  const [here, there] = [{}, {}]
  const ended: string[] = []
  let open: () => void = () => undefined
  const first = inTurn(here, 'room', async () => {
    await new Promise<void>((resolve) => {
      open = resolve
    })
    ended.push('first')
    throw new Error('the first failed')
  })
  const second = inTurn(here, 'room', async () => ended.push('second'))
  await inTurn(there, 'room', async () => ended.push('another page'))
  await inTurn(here, 'another room', async () => ended.push('another room'))
  open()
  await expect(first).rejects.toThrow('the first failed')
  await second
  expect(ended).toEqual(['another page', 'another room', 'first', 'second'])
})
