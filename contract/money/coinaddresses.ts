import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { instant, nothing } from '../ground/shapes.ts'
import { coinStatusShape, currencyShape } from './coins.ts'
import { RECEIPT_LIMITS } from './receipts.ts'

const count = z.number().int().nonnegative()

/** Names no account. */
const coinAddressShape = z.object({
  id: z.uuid(),
  /** In the operator's wallet; null for old requests. */
  addressIndex: count.nullable(),
  address: z.string().max(100),
  currency: currencyShape,
  /** All that came in this currency, in its smallest unit. */
  receivedUnits: z.string().regex(/^\d{1,78}$/),
  /** True if another token came too, or ether to a request in USDC. */
  hasOther: z.boolean(),
  status: coinStatusShape,
  /** When it was last given out. */
  at: instant,
})
export type CoinAddress = z.infer<typeof coinAddressShape>

const walletShape = z.object({
  chain: z.enum(['bitcoin', 'ethereum']),
  /** All addresses given out. */
  given: count,
  sinceLastPaid: count,
  /** The longest row of unpaid ones before a paid one. */
  longestUnpaid: count,
})
export type CoinWallet = z.infer<typeof walletShape>

/** The year 9999. */
const LAST_MS = 253_402_300_799_999
const NIL = '00000000-0000-0000-0000-000000000000'

/** `beforeMs` and `beforeId` are those of the last address of the page before. */
const filter = z.object({
  only: z.enum(['received']).optional(),
  beforeMs: z.coerce.number().int().nonnegative().max(LAST_MS).default(LAST_MS),
  beforeId: z.uuid().default(NIL),
})
export type AddressFilter = z.output<typeof filter>

const pageOf = (atMost: number) => z.object({ addresses: z.array(coinAddressShape).max(atMost), hasMore: z.boolean() })

export const coinAddressesApi = {
  wallets: endpoint({
    method: 'GET',
    path: '/api/admin/coin-wallets',
    access: 'admin',
    rates: ['administration'],
    summary: 'How many addresses of each wallet were given out, and how many in a row were never paid.',
    input: nothing,
    output: z.object({ wallets: z.array(walletShape).max(2), readAt: instant }),
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/admin/coin-addresses',
    access: 'admin',
    rates: ['administration'],
    summary: 'Addresses given out for coins, without whose they are, the newest first. `only`: those to which something came.',
    input: filter,
    output: pageOf(LIMITS.adminPage),
  }),
  export: endpoint({
    method: 'POST',
    path: '/api/admin/coin-addresses',
    access: 'admin',
    rates: ['administration'],
    summary: 'The same in long pages, for a file. It leaves a row in the audit trail.',
    input: filter,
    output: pageOf(RECEIPT_LIMITS.exportPage),
  }),
}
