import { z } from 'zod'
import { type AdminPackage, packageForm } from '../../contract/admin/adminpackages.ts'
import { hasRight, UNLIMITED } from '../../contract/money/plans.ts'
import { isRefused } from '../net/api.ts'
import { shownPrice } from '../plan/plans/planLines.ts'
import { countWords } from './adminWords.ts'

export const FEATURES = {
  advancedEncryption: 'Advanced Encryption',
  prioritySupport: 'Priority Support',
  customBranding: 'Custom Branding',
  apiAccess: 'API Access',
} as const

/** The form of a package as it is typed: numbers are texts until it is sent. */
export interface Typed extends Record<keyof typeof FEATURES, boolean> {
  tier: 'free' | 'premium'
  name: string
  description: string
  monthlyPrice: string
  yearlyPrice: string
  messagesLimit: string
  fileStorageGB: string
  videoCallMinutes: string
  stripePriceIdMonthly: string
  stripePriceIdYearly: string
  displayOrder: string
}
export type TextField = Exclude<keyof Typed, 'tier' | keyof typeof FEATURES>

export const LIMITED = ['messagesLimit', 'fileStorageGB', 'videoCallMinutes'] as const

const NEW: Typed = {
  ...{ tier: 'free', name: '', description: '', monthlyPrice: '0', yearlyPrice: '0' },
  ...{ messagesLimit: '-1', fileStorageGB: '-1', videoCallMinutes: '-1' },
  ...{ stripePriceIdMonthly: '', stripePriceIdYearly: '', displayOrder: '0' },
  ...{ advancedEncryption: false, prioritySupport: false, customBranding: false, apiAccess: false },
}

/** What stands in the form: of a new package, or of one that is edited, where a stored limit of 0 becomes -1. */
export function typedOf(stored: AdminPackage | undefined): Typed {
  if (!stored) return NEW
  const limit = (name: (typeof LIMITED)[number]) => String(stored[name] || UNLIMITED)
  return {
    ...{ name: stored.name, description: stored.description, tier: hasRight(stored.tier, 'send') ? 'premium' : 'free' },
    ...{ monthlyPrice: String(stored.monthlyPrice), yearlyPrice: String(stored.yearlyPrice) },
    ...{ messagesLimit: limit('messagesLimit'), fileStorageGB: limit('fileStorageGB') },
    ...{ videoCallMinutes: limit('videoCallMinutes'), displayOrder: String(stored.displayOrder) },
    ...{ stripePriceIdMonthly: stored.stripePriceIdMonthly ?? '', stripePriceIdYearly: stored.stripePriceIdYearly ?? '' },
    ...{ advancedEncryption: stored.advancedEncryption, prioritySupport: stored.prioritySupport },
    ...{ customBranding: stored.customBranding, apiAccess: stored.apiAccess },
  }
}

/** Reads a whole number from its start, as `parseInt` does: "12.7" is 12. An empty or invalid text is the fallback. */
function wholeOf(text: string, fallback: number): number {
  const number = Number.parseInt(text, 10)
  return Number.isNaN(number) ? fallback : number
}

/** The fields as they are sent. Prices and order fall back to 0, limits to -1. */
export function fieldsOf(typed: Typed) {
  return {
    ...typed,
    ...{ monthlyPrice: wholeOf(typed.monthlyPrice, 0), yearlyPrice: wholeOf(typed.yearlyPrice, 0) },
    ...{ messagesLimit: wholeOf(typed.messagesLimit, UNLIMITED), fileStorageGB: wholeOf(typed.fileStorageGB, UNLIMITED) },
    ...{ videoCallMinutes: wholeOf(typed.videoCallMinutes, UNLIMITED), displayOrder: wholeOf(typed.displayOrder, 0) },
  }
}

/** The first text of what is wrong with each field; empty where nothing is. */
export function wrongOf(typed: Typed): Partial<Record<TextField, string>> {
  const { error } = packageForm.safeParse(fieldsOf(typed))
  const wrong: Record<string, string> = {}
  for (const { path, message } of error?.issues ?? []) wrong[String(path[0])] ??= message
  return wrong
}

const refusedShape = z.array(z.object({ path: z.string(), message: z.string() }))

/** What the server refuses of prices at the card provider, each at its field; empty for another error. */
export function refusedFields(error: unknown): Partial<Record<TextField, string>> {
  const { data } = refusedShape.safeParse(isRefused(error, 'wrong_price_id') ? error.details : [])
  return Object.fromEntries((data ?? []).map(({ path, message }) => [path, message]))
}

/** "Unlimited", or the limit with its unit. */
export const limitWords = (limit: number, unit = ''): string =>
  limit === UNLIMITED ? 'Unlimited' : `${countWords(limit)}${unit && ` ${unit}`}`

export const priceWords = (cents: number): string => shownPrice(cents)

/** Why a package that is shown is not sold, or not by the month and by the year; undefined if it is both, or hidden. */
export function saleWords({ isActive, tier, monthlyPrice, yearlyPrice, messagesLimit }: AdminPackage): string | undefined {
  if (!isActive) return undefined
  if (!hasRight(tier, 'send')) return 'Listed, not sold: Free is what every account has.'
  if (messagesLimit === 0) return 'Not sold: it allows no messages.'
  if (monthlyPrice > 0) return yearlyPrice > 0 ? undefined : 'Sold by the month alone.'
  return yearlyPrice > 0 ? 'Sold by the year alone.' : 'Not sold: it has no price.'
}
