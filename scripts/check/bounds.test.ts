import { expect, test } from 'vitest'
import { findUnboundedShapes } from './bounds.ts'

const contract = (text: string) => [{ path: 'contract/chat/rooms.ts', text }]

test('an array that Eve can fill without end is found, in whatever way it is written', () => {
  const kept = [
    'z.array(userId).max(20)',
    'z.array(userId).min(1).max(LIMITS.roomMembersMax)',
    'z\n  .array(\n    z.object({ id: userId, keys: z.array(z.string()).length(2) }),\n  )\n  .min(1)\n  .max(5)',
    'userId.array().max(3)',
    'boundedRecord(userId, seqShape, 1000)',
    'new Map().set(1, 2)',
  ]
  expect(findUnboundedShapes(contract(kept.join('\n')))).toEqual([])
  expect(findUnboundedShapes(contract('const a = 1\nconst b = z.array(userId)\n'))).toEqual([
    'contract/chat/rooms.ts:2: an array without .max()',
  ])
  const planted = [
    'z.array(userId).min(1)',
    'userId.array()',
    'z.array(z.array(userId)).max(3)',
    'z.array(userId), z.string().max(3)',
  ]
  for (const text of planted) expect(findUnboundedShapes(contract(text)), text).toHaveLength(1)
})

test('a record, a map and a set are found; only boundedRecord is made of one', () => {
  const own = 'export const boundedRecord = (key, value, max) =>\n  z.record(key, value).refine((record) => record)\n'
  expect(findUnboundedShapes([{ path: 'contract/ground/shapes.ts', text: own }])).toEqual([])
  for (const kind of ['record', 'partialRecord', 'map', 'set'])
    expect(findUnboundedShapes(contract(`z.${kind}(userId, seqShape)`))).toEqual([
      expect.stringContaining(`a ${kind} without a bound`),
    ])
})
