import { afterEach, expect, test, vi } from 'vitest'
import { exclusive } from './exclusive.ts'

afterEach(() => vi.unstubAllGlobals())

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('Two who change the same group take turns, in the order they asked', async () => {
  vi.stubGlobal('navigator', undefined)
  const seen: string[] = []
  const turn = (name: string, ms: number) => async () => {
    seen.push(`${name} in`)
    await pause(ms)
    seen.push(`${name} out`)
    return name
  }
  const answers = await Promise.all([
    exclusive('room', turn('a', 20)),
    exclusive('room', turn('b', 0)),
    exclusive('room', turn('c', 0)),
  ])
  expect(answers).toEqual(['a', 'b', 'c'])
  expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out'])
})

test('Another group does not wait', async () => {
  vi.stubGlobal('navigator', undefined)
  const order: string[] = []
  const slow = exclusive('one', () => pause(20)).then(() => order.push('one'))
  await exclusive('two', () => pause(0)).then(() => order.push('two'))
  await slow
  expect(order).toEqual(['two', 'one'])
})

test('A failure reaches the one who asked and frees the next', async () => {
  vi.stubGlobal('navigator', undefined)
  const failing = exclusive('room', async () => {
    throw new Error('broken')
  })
  const next = exclusive('room', async () => 'next')
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('next')
})

test('Where the browser has Web Locks, they decide: other tabs wait too', async () => {
  const request = vi.fn((_name: string, work: () => Promise<unknown>) => work())
  vi.stubGlobal('navigator', { locks: { request } })
  expect(await exclusive('room', async () => 'done')).toBe('done')
  expect(request).toHaveBeenCalledWith('conclave/room', expect.any(Function))
})
