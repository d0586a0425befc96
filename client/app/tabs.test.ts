import { expect, test } from 'vitest'
import { addressOf, isOwnPage, openedAt, TAB_OF } from './tabs.ts'

test('The settings open where another screen has asked, else where the address says, else at the profile', () => {
  expect(openedAt('subscription', 'security')).toBe('subscription')
  expect(openedAt(null, 'plan')).toBe('subscription')
  expect(openedAt(null, 'security')).toBe('security')
  expect(openedAt(null, null)).toBe('profile')
})

test('A tab that does not exist is passed over', () => {
  expect(openedAt('billing', 'plan')).toBe('subscription')
  expect(openedAt('billing', 'toString')).toBe('profile')
})

test('The address of every place opens it again, and a page of its own leads back to its tab', () => {
  for (const place of ['profile', 'subscription', 'security', 'notifications', 'storage', 'devices'] as const)
    expect(openedAt(null, new URLSearchParams(addressOf(place).split('?')[1]).get('tab'))).toBe(place)
  expect(addressOf('subscription')).toBe('/settings?tab=plan')
  expect(isOwnPage('devices') && TAB_OF.devices).toBe('security')
  expect(isOwnPage('profile')).toBe(false)
})
