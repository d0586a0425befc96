import { z } from 'zod'

/** A transaction as Esplora writes it: outputs in satoshis, in their order. */
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

/** What is asked of a node of Bitcoin, however it is spoken to. Throws whatever the node answers wrong. */
export interface BitcoinNode {
  /** The hash of block 0. */
  genesis(): Promise<string>
  /** The height of the newest block. */
  height(): Promise<number>
  /** Asks the node to note what comes to the address from now on, before it is given out. */
  watch(address: string): Promise<void>
  /** The transactions that have an output to the address, in blocks and waiting for one. */
  transactionsOf(address: string): Promise<Transaction[]>
  /** undefined if the node does not know it. */
  transaction(txid: string): Promise<Transaction | undefined>
}
