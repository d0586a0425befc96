import { afterEach, expect, test, vi } from 'vitest'
import { exclusive } from './exclusive.ts'

afterEach(() => vi.unstubAllGlobals())

/** A promise, and what resolves it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

test('Two who change the same group take turns, in the order they asked', async () => {
  vi.stubGlobal('navigator', undefined)
  const seen: string[] = []
  const first = gate()
  const turn = (name: string, until?: Promise<void>) => async () => {
    seen.push(`${name} in`)
    await until
    seen.push(`${name} out`)
    return name
  }
  const turns = [exclusive('room', turn('a', first.opened)), exclusive('room', turn('b')), exclusive('room', turn('c'))]
  // Work under another name ends meanwhile: b and c have had their chance.
  await exclusive('another room', async () => undefined)
  first.open()
  const answers = await Promise.all(turns)
  expect(answers).toEqual(['a', 'b', 'c'])
  expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out'])
})

test('Another group does not wait', async () => {
  vi.stubGlobal('navigator', undefined)
  const order: string[] = []
  const one = gate()
  const slow = exclusive('one', () => one.opened).then(() => order.push('one'))
  await exclusive('two', async () => undefined).then(() => order.push('two'))
  one.open()
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
