import { PLAN_LIMITS } from '../../contract/money/planlimits.ts'
import { ConfigError, read, type Variables } from './variables.ts'

/** US cents; null for a period without a sale. */
export interface MasterPrice {
  monthlyCents: number | null
  yearlyCents: number | null
}

const { priceMinCents, priceMaxCents } = PLAN_LIMITS

/** Without a price Master is given by hand. */
export const readMasterPrice = (variables: Variables): MasterPrice => ({
  monthlyCents: readCents(variables, 'MASTER_MONTHLY_CENTS'),
  yearlyCents: readCents(variables, 'MASTER_YEARLY_CENTS'),
})

function readCents(variables: Variables, name: string): number | null {
  const text = read(variables, name)
  if (text === undefined) return null
  const cents = Number(text)
  if (!/^\d+$/.test(text) || cents < priceMinCents || cents > priceMaxCents)
    throw new ConfigError(name, `a price in US cents from ${priceMinCents} to ${priceMaxCents}, such as 250000 for $2,500`, text)
  return cents
}
