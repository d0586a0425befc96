import { ZodError } from 'zod'

export interface Arrival {
  /** The transaction, unique with `index`; block and address for an unexplained rise. */
  reference: string
  index: number
  /** A currency, or another token's contract. */
  asset: string
  /** In the smallest unit. */
  units: bigint
  /** null before a block. */
  height: number | null
  blockHash: string | null
  /** The block's time. */
  at: Date | null
}

export interface Known {
  scannedHeight: number
  /** Ethereum's balance at that block; 0 elsewhere. */
  nativeUnits: bigint
  /** The earliest first. */
  arrivals: Arrival[]
}

export interface Seen extends Known {
  head: number
}

/** What was known stays. */
export class NodeError extends Error {}

/** Throws NodeError, if opened by `openCoins`. */
export interface Chain {
  /** Checks the chain of the settings first, one time per process. */
  head(): Promise<number>
  addressAt(index: number): Promise<string>
  /** Returns the head if a look is possible. */
  tryLook(): Promise<number>
  /** False if anything has ever come. */
  isUntouched(address: string): Promise<boolean>
  /** undefined if the node does not know the transaction, or its effect, yet. */
  pays(transaction: string, address: string): Promise<boolean | undefined>
  /** Returns all that still stands. `head` was read before: it is asked for once for many looks. */
  look(address: string, known: Known, head?: number): Promise<Seen>
}

/** Makes NodeError of wrapped failures. The server's own mistakes stay. */
export function namingFailures(chain: Chain, tell: (why: string) => void = () => undefined): Chain {
  let told: string | undefined
  const named =
    <Asked extends unknown[], T>(ask: (...asked: Asked) => Promise<T>) =>
    async (...asked: Asked): Promise<T> => {
      try {
        const answer = await ask(...asked)
        told = undefined
        return answer
      } catch (cause) {
        if (!isOfNode(cause)) throw cause
        const why = cause instanceof ZodError ? 'The node answered something of another shape' : cause.message
        if (why !== told) tell(why)
        told = why
        throw new NodeError(why, { cause })
      }
    }
  return {
    head: named(chain.head),
    addressAt: named(chain.addressAt),
    tryLook: named(chain.tryLook),
    isUntouched: named(chain.isUntouched),
    pays: named(chain.pays),
    look: named(chain.look),
  }
}

const isOfNode = (error: unknown): error is Error =>
  error instanceof Error && (error instanceof NodeError || error instanceof ZodError || isOfNode(error.cause))

/** Includes the arrival's own block; 0 before it. */
export const confirmationsOf = ({ height }: Pick<Arrival, 'height'>, head: number): number =>
  height === null ? 0 : Math.max(1, head - height + 1)
