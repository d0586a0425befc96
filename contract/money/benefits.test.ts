import { expect, test } from 'vitest'
import { benefitsOf, FILE_MB } from './benefits.ts'
import { limitsOf } from './offerLimits.ts'
import { PLANS } from './plans.ts'

test('A plan promises what its limits allow, and nothing beyond them', () => {
  const premium = limitsOf('premium')
  expect(benefitsOf(premium)).toBe('Unlimited messages, calls and files')
  expect(benefitsOf(limitsOf('test'))).toBe('10 messages a month, calls, files up to 10\u00a0MB')
  expect(benefitsOf({ ...premium, videoMinutes: 30 })).toBe(
    'Unlimited messages, voice calls, 30 minutes of video calls, files up to 10\u00a0MB',
  )
  expect(benefitsOf({ ...premium, videoMinutes: 0, storageGB: 5 })).toBe('Unlimited messages, voice calls, 5\u00a0GB of files')
  expect(benefitsOf({ ...premium, messagesPerMonth: 1000, storageGB: 0 })).toBe('1,000 messages a month, calls')
  for (const { rights, fileBytes } of Object.values(PLANS)) if (rights.send) expect(fileBytes).toBe(FILE_MB * 1024 * 1024)
})
