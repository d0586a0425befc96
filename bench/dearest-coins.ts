import { randomUUID } from 'node:crypto'
import { PAYMENTS } from './dearest-payments.ts'
import type { Request } from './scene.ts'

const by =
  (input: Record<string, unknown> = {}): Request =>
  async ({ alice }) => ({ who: alice, input })

const transactionHash = 'ab'.repeat(32)

/**
 * What of each call for payments costs the server most, as in `DEAREST`. What a node answers is waited for and costs nothing: these
 * requests end before one is asked.
 */
export const COINS: Record<string, Record<string, Request>> = {
  ...PAYMENTS,
  'GET /api/crypto/currencies': { 'nothing in it': by() },
  'GET /api/crypto/prices': { 'nothing in it': by() },
  'GET /api/crypto/payments': { 'nothing in it': by() },
  'POST /api/crypto/create-payment': {
    'a package': by({ packageId: randomUUID(), currency: 'bitcoin', billingPeriod: 'yearly', walletAddress: 'x'.repeat(100) }),
  },
  'GET /api/crypto/check-payment/:paymentId': { 'one that is nobody’s': by({ paymentId: randomUUID() }) },
  'POST /api/crypto/submit-transaction/:paymentId': {
    'one that is nobody’s': by({ paymentId: randomUUID(), transactionHash, paymentAddress: 'x'.repeat(100) }),
  },
}
