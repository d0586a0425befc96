import { expect, test } from 'vitest'
import type { AdminPackage } from '../../contract/admin/adminpackages.ts'
import { fieldsOf, limitWords, saleWords, typedOf, wrongOf } from './packages.ts'

const STORED: AdminPackage = {
  ...{ id: crypto.randomUUID(), name: 'Premium', description: 'For everybody', tier: 'premium', isActive: true, isBought: false },
  ...{
    monthlyPrice: 100_000,
    yearlyPrice: 800_000,
    messagesLimit: 0,
    fileStorageGB: 5,
    voiceCallMinutes: 3,
    videoCallMinutes: 0,
  },
  ...{ advancedEncryption: true, prioritySupport: false, customBranding: false, apiAccess: true, displayOrder: 4 },
  ...{ stripePriceIdMonthly: 'price_1', stripePriceIdYearly: null, archivedAt: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
}

test('a new package is free, costs nothing, has no limits and no features, and says what is missing', () => {
  const typed = typedOf(undefined)
  expect(fieldsOf(typed)).toMatchObject({
    ...{ tier: 'free', monthlyPrice: 0, yearlyPrice: 0, messagesLimit: -1, fileStorageGB: -1, videoCallMinutes: -1 },
    ...{ displayOrder: 0, advancedEncryption: false, apiAccess: false },
  })
  expect(wrongOf(typed)).toEqual({ name: 'Package name is required', description: 'Description is required' })
})

test('numbers are read as whole numbers: empty or invalid prices and orders are 0, limits are -1', () => {
  const typed = { ...typedOf(STORED), monthlyPrice: 'x', yearlyPrice: '12.7', displayOrder: '' }
  expect(fieldsOf({ ...typed, messagesLimit: '', fileStorageGB: 'much', videoCallMinutes: ' 30' })).toMatchObject({
    ...{ monthlyPrice: 0, yearlyPrice: 12, displayOrder: 0, messagesLimit: -1, fileStorageGB: -1, videoCallMinutes: 30 },
  })
  expect(wrongOf({ ...typed, monthlyPrice: '-5', yearlyPrice: '-1', messagesLimit: '-2', fileStorageGB: '-9' })).toEqual({
    ...{ monthlyPrice: 'Monthly price must be non-negative', yearlyPrice: 'Yearly price must be non-negative' },
    ...{ messagesLimit: 'Use -1 for unlimited', fileStorageGB: 'Use -1 for unlimited' },
  })
  expect(fieldsOf({ ...typed, messagesLimit: '0' }).messagesLimit).toBe(0)
})

test('an edit begins with what is stored, a limit of 0 as -1, and never sends voice minutes', () => {
  expect(fieldsOf(typedOf(STORED))).toMatchObject({
    ...{ name: 'Premium', monthlyPrice: 100_000, messagesLimit: -1, fileStorageGB: 5, videoCallMinutes: -1 },
    ...{ stripePriceIdMonthly: 'price_1', stripePriceIdYearly: '', apiAccess: true, displayOrder: 4 },
  })
  expect(fieldsOf(typedOf(STORED))).not.toHaveProperty('voiceCallMinutes')
})

test('a card says its limits, and why it is not sold, or by one period alone', () => {
  expect([limitWords(-1, 'GB'), limitWords(1200, 'min'), limitWords(0)]).toEqual(['Unlimited', '1,200 min', '0'])
  expect(saleWords(STORED)).toBe('Not sold: it allows no messages.')
  expect(saleWords({ ...STORED, messagesLimit: 5 })).toBeUndefined()
  const sold = { ...STORED, messagesLimit: 5 }
  expect(saleWords({ ...sold, monthlyPrice: 0 })).toBe('Sold by the year alone.')
  expect(saleWords({ ...sold, yearlyPrice: 0 })).toBe('Sold by the month alone.')
  expect(saleWords({ ...sold, monthlyPrice: 0, yearlyPrice: 0 })).toBe('Not sold: it has no price.')
  expect(saleWords({ ...STORED, tier: 'free' })).toContain('Free is what every account has')
  expect(saleWords({ ...STORED, isActive: false })).toBeUndefined()
})
