import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { partOf } from './loadPart.ts'

test('Calls of a part begin in their order however late its code comes, also after an attempt without a connection', async () => {
  let loads = 0
  const part = partOf(async () => {
    loads += 1
    if (loads === 1) throw new TypeError('offline')
    // A third load finds the code there.
    if (loads === 2) await pause(20)
    return 'the part'
  })
  await expect(part()).rejects.toMatchObject({ code: 'not_loaded' })
  const order: string[] = []
  await Promise.all([part().then(() => order.push('opening')), part().then(() => order.push('piece'))])
  expect(order).toEqual(['opening', 'piece'])
})
