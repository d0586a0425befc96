import type { TransferContent } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import type { TransferRow } from '../../worker/crypto.ts'

/** What the person lets this one transfer do. */
export interface TransferConsent {
  allowsDirect?: boolean
  leavesTor?: boolean
}

export interface SaidTransfer {
  chatRoomId: string
  content: TransferContent
  isMine: boolean
  /** ISO 8601. */
  at: string
}

/** Throw ApiError, CryptoFailure. `transfers/transfers.ts` has them. */
interface TransferVerbs {
  knowTransfer(env: Env, said: SaidTransfer, row?: TransferRow): Promise<void>
  offerFiles(env: Env, chatRoomId: string, files: File[]): Promise<void>
  acceptTransfer(env: Env, transferId: string, consent?: TransferConsent): Promise<void>
  declineTransfer(env: Env, transferId: string): Promise<void>
  pauseTransfer(env: Env, transferId: string): Promise<void>
  cancelTransfer(env: Env, transferId: string): Promise<void>
  receivedFile(env: Env, transferId: string): Promise<Blob | undefined>
}

let load: (() => Promise<TransferVerbs>) | undefined

/** The verbs send messages, so they stand above the chat that shows transfers: the app hands them down. */
export const handTransferVerbs = (verbs: () => Promise<TransferVerbs>): void => {
  load = verbs
}

export async function transferVerbs(): Promise<TransferVerbs> {
  if (!load) throw new Error('Nobody has handed down the verbs of transfers')
  return load()
}
