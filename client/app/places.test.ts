import { expect, test } from 'vitest'
import { addressOf, askedPlace, GROUPS, partIn } from './places.ts'
import { PARTS } from './settingsWords.ts'

test('The settings open where another screen has asked, else where the address says', () => {
  expect(askedPlace('subscription', 'security')).toBe('plan')
  expect(askedPlace(null, 'plan')).toBe('plan')
  expect(askedPlace(null, 'security')).toBe('security')
  expect(askedPlace(null, null)).toBeUndefined()
})

test('A page that does not exist is passed over', () => {
  expect(askedPlace('billing', 'plan')).toBe('plan')
  expect(askedPlace('billing', 'toString')).toBeUndefined()
})

test('The address of every page opens it again, and that of a part names it', () => {
  for (const place of GROUPS.flat())
    expect(askedPlace(null, new URLSearchParams(addressOf(place).split('?')[1]).get('tab'))).toBe(place)
  expect(addressOf('plan')).toBe('/settings?tab=plan')
  expect(addressOf(PARTS.lock.place, 'lock')).toBe('/settings?tab=security#lock')
  expect([partIn('#lock'), partIn('#toString'), partIn('')]).toEqual(['lock', undefined, undefined])
})
