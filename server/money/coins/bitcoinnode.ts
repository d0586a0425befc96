import { z } from 'zod'

/** Outputs in order, in satoshis. */
export const transactionShape = z.object({
  txid: z.string().regex(/^[0-9a-f]{64}$/),
  vout: z.array(z.object({ value: z.number().int().nonnegative(), scriptpubkey_address: z.string().optional() })),
  status: z.discriminatedUnion('confirmed', [
    z.object({
      confirmed: z.literal(true),
      block_height: z.number().int().nonnegative(),
      block_hash: z.string(),
      block_time: z.number().int(),
    }),
    z.object({ confirmed: z.literal(false) }),
  ]),
})
export type Transaction = z.infer<typeof transactionShape>

/** Throws on any wrong answer. */
export interface BitcoinNode {
  /** The hash of block 0. */
  genesis(): Promise<string>
  height(): Promise<number>
  /** Notes what comes to the address, before it is given out. */
  watch(address: string): Promise<void>
  /** In blocks and waiting. */
  transactionsOf(address: string): Promise<Transaction[]>
  /** undefined if unknown to the node. */
  transaction(txid: string): Promise<Transaction | undefined>
}
