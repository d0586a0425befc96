import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { hasRight, PLANS, PLANS_VERSION, tierShape, UNLIMITED } from './plans.ts'

test('a free account may do nothing that is sold, a paid one may send, call and share; the circle is for masters', () => {
  const may = (right: Parameters<typeof hasRight>[1]) => tierShape.options.filter((tier) => hasRight(tier, right))
  for (const right of ['send', 'call', 'shareFiles'] as const) {
    expect(may(right)).toEqual(['test', 'premium', 'master', 'enterprise'])
  }
  expect(may('family')).toEqual(['master'])
})

test('the Test plan has ten messages a month, the others that send have no limit', () => {
  expect(PLANS.test.messagesPerMonth).toBe(10)
  expect([PLANS.premium, PLANS.master, PLANS.enterprise].map((plan) => plan.messagesPerMonth)).toEqual(Array(3).fill(UNLIMITED))
})

// A server that starts with a changed table under the same version would leave the old rows unchanged.
test('a changed table of plans has a new version', () => {
  const digest = createHash('sha256').update(JSON.stringify(PLANS)).digest('hex').slice(0, 12)
  expect({ version: PLANS_VERSION, digest }).toEqual({ version: 2, digest: '0d31f5e38873' })
})
