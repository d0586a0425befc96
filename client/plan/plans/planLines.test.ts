import { expect, test } from 'vitest'
import { limitsOf } from '../../../contract/money/offerLimits.ts'
import { PLANS } from '../../../contract/money/plans.ts'
import { currentLinesOf, linesOf, offeredLinesOf, shownPrice, usageLinesOf } from './planLines.ts'

test('the upgrade dialog says what the table of plans says', () => {
  const files = 'Files up to 10MB, directly up to 100MB'
  expect(linesOf(PLANS.test)).toEqual(['10 messages per month', 'Unlimited voice and video calls', files])
  expect(linesOf(PLANS.premium)).toEqual(['Unlimited messages, calls and files', files, 'Priority support'])
  expect([PLANS.test, PLANS.premium].map((plan) => shownPrice(plan.monthlyCents ?? 0))).toEqual(['$1', '$1,000'])
  expect(shownPrice(1250)).toBe('$12.50')
  expect(offeredLinesOf({ tier: 'master', ...limitsOf('master') })).toContain('Family Circle of 5 invitees')
})

test('a package says its files once, also where it limits calls alone', () => {
  const limits = { messagesPerMonth: 500, voiceMinutes: 60, videoMinutes: 0 }
  const more = ['Files up to 10MB, directly up to 100MB', 'Priority support']
  expect(offeredLinesOf({ tier: 'premium', ...limits, storageGB: -1 })).toEqual([
    '500 messages a month, 60 minutes of voice calls',
    ...more,
  ])
  expect(offeredLinesOf({ tier: 'premium', ...limits, storageGB: 2 })[0]).toContain('2\u00a0GB of files')
})

test('who is on a free plan is not told of messages that they cannot send, and the head of a family reads of the circle', () => {
  expect(currentLinesOf(PLANS.free)).toEqual(['Add people, and share your code', 'Receive and read messages from paid users'])
  expect(currentLinesOf(PLANS.test)).toEqual(linesOf(PLANS.test))
  expect(currentLinesOf(PLANS.master)).toContain('A family circle')
})

test('usage is spoken of above 80 % and from 100 % on, and a plan without limits has none to show', () => {
  const none = { messagesLimit: null, fileStorageLimitMB: null, videoCallMinutesLimit: null }
  const used = { messagesUsed: 80, fileStorageUsedMB: 40.1, videoCallMinutesUsed: 30 }
  const free = { ...used, messagesLimit: 100, fileStorageLimitMB: 50, videoCallMinutesLimit: 30 }
  expect(usageLinesOf(free).map(({ state }) => state)).toEqual(['normal', 'near', 'full'])
  expect(usageLinesOf({ ...free, messagesUsed: 250 })[0]).toMatchObject({ state: 'full', percent: 100 })
  expect(usageLinesOf({ ...used, ...none })).toEqual([])
  // What a plan does not include has no line: there is nothing of it to use up.
  const without = { ...used, messagesLimit: 100, fileStorageLimitMB: 0, videoCallMinutesLimit: 0 }
  expect(usageLinesOf({ ...without, fileStorageUsedMB: 0, videoCallMinutesUsed: 0 })).toMatchObject([
    { name: 'Messages used', percent: 80, state: 'normal' },
  ])
  expect(usageLinesOf({ ...without, messagesLimit: null })).toEqual([])
  // The Test plan limits messages alone; what else was used stands beside them.
  expect(usageLinesOf({ ...used, ...none, messagesLimit: 10 }).map(({ name, limit, state }) => [name, limit, state])).toEqual([
    ...[
      ['Messages used', 10, 'full'],
      ['Storage used', null, 'normal'],
      ['Video minutes used', null, 'normal'],
    ],
  ])
})
