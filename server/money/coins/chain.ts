import { ZodError } from 'zod'

/** Money that has come to an address: an output, the log of a token, or a rise of a balance. */
export interface Arrival {
  /** The transaction, with `index` unique on its chain; for a rise that no transaction of the block explains, block and address. */
  reference: string
  index: number
  /** A currency, or the contract of another token. */
  asset: string
  /** In the smallest unit. */
  units: bigint
  /** null until it is in a block. */
  height: number | null
  blockHash: string | null
  /** The block's time. */
  at: Date | null
}

/** What is known of an address: everything up to a block is read and settled. */
export interface Known {
  scannedHeight: number
  /** The balance of Ethereum's own coin at that block; 0 elsewhere. */
  nativeUnits: bigint
  /** Arrivals that count, from the earliest on. */
  arrivals: Arrival[]
}

export interface Seen extends Known {
  /** The height of the newest block. */
  head: number
}

/** The node does not answer, or answers what cannot be. Nothing is known then: whatever was known before stays. */
export class NodeError extends Error {}

/** Reads one chain, and derives addresses from a public key. What the node fails at is a NodeError, once `openCoins` has opened it. */
export interface Chain {
  /** Asked for once a process, before anything else is believed: that the node is of the chain of the settings. */
  head(): Promise<number>
  addressAt(index: number): Promise<string>
  /** False if anything has ever come to the address. */
  isUntouched(address: string): Promise<boolean>
  /** Whether a transaction pays the address; undefined if the node does not know it, or not yet what it does. */
  pays(transaction: string, address: string): Promise<boolean | undefined>
  /** All that has come to the address and still stands, by what was known before. */
  look(address: string, known: Known): Promise<Seen>
}

/** Names the failures of a node, however they are wrapped: whoever asks it expects NodeError. A mistake of this server stays what it is. */
export function namingFailures(chain: Chain): Chain {
  const named =
    <Asked extends unknown[], T>(ask: (...asked: Asked) => Promise<T>) =>
    async (...asked: Asked): Promise<T> => {
      try {
        return await ask(...asked)
      } catch (cause) {
        throw isOfNode(cause) ? new NodeError(cause.message, { cause }) : cause
      }
    }
  return {
    head: named(chain.head),
    addressAt: named(chain.addressAt),
    isUntouched: named(chain.isUntouched),
    pays: named(chain.pays),
    look: named(chain.look),
  }
}

/** True if the node has failed, or has answered what does not fit its shape. */
const isOfNode = (error: unknown): error is Error =>
  error instanceof Error && (error instanceof NodeError || error instanceof ZodError || isOfNode(error.cause))

/** Blocks on top of an arrival, its own included; 0 until it is in one. */
export const confirmationsOf = ({ height }: Pick<Arrival, 'height'>, head: number): number =>
  height === null ? 0 : Math.max(1, head - height + 1)
