import { type Party, RECEIPT_LIMITS } from '../../contract/money/receipts.ts'
import { ConfigError, read, type Variables } from './variables.ts'

export interface SellerSettings {
  /** undefined: nobody is named. */
  seller: Party | undefined
  /** Receipts are kept so long. */
  receiptYears: number
}

const { nameMax, addressMax, taxIdMax } = RECEIPT_LIMITS
/** Ten years are the longest that the tax laws of the European Union ask for. */
const USUAL_YEARS = 10

/** Throws ConfigError. */
export function readSeller(variables: Variables): SellerSettings {
  const name = readText(variables, 'SELLER_NAME', nameMax)
  const address = readText(variables, 'SELLER_ADDRESS', addressMax)
  const taxId = readText(variables, 'SELLER_TAX_ID', taxIdMax)
  if (name === '' && address + taxId !== '')
    throw new ConfigError('SELLER_NAME', 'set together with SELLER_ADDRESS and SELLER_TAX_ID', '')
  const lines = address.split('|').map((line) => line.trim())
  return {
    seller: name === '' ? undefined : { name, address: lines.join('\n'), taxId },
    receiptYears: readYears(variables),
  }
}

function readText(variables: Variables, name: string, max: number): string {
  const text = read(variables, name) ?? ''
  if (text.length > max) throw new ConfigError(name, `at most ${max} characters`, `${text.slice(0, 40)}...`)
  return text
}

function readYears(variables: Variables): number {
  const text = read(variables, 'RECEIPT_YEARS')
  if (text === undefined) return USUAL_YEARS
  const years = Number(text)
  if (!/^\d{1,2}$/.test(text) || years < 1 || years > 50)
    throw new ConfigError('RECEIPT_YEARS', 'a number of years from 1 to 50', text)
  return years
}
