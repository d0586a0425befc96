import type { Env } from '../../env.ts'

/** What the person lets this one transfer do. */
export interface TransferConsent {
  allowsDirect?: boolean
  leavesTor?: boolean
}

/**
 * Reads, hashes and keeps each file, registers the offer and sends its message. Throws ApiError, CryptoFailure ('file_read', 'quota'). A
 * file of 100 MiB or more, an empty one and a folder are left out by their toast.
 */
export async function offerFiles(_env: Env, _chatRoomId: string, _files: File[]): Promise<void> {
  throw new Error('Not written')
}

/** Takes and connects; also resumes, and tries again after a refusal. Throws ApiError, CryptoFailure. */
export async function acceptTransfer(_env: Env, _transferId: string, _consent: TransferConsent = {}): Promise<void> {
  throw new Error('Not written')
}

export async function declineTransfer(_env: Env, _transferId: string): Promise<void> {
  throw new Error('Not written')
}

export async function pauseTransfer(_env: Env, _transferId: string): Promise<void> {
  throw new Error('Not written')
}

/** By either side. What was kept of it goes. */
export async function cancelTransfer(_env: Env, _transferId: string): Promise<void> {
  throw new Error('Not written')
}

/** Of one that is done, if it is still in this browser. */
export async function receivedFile(_env: Env, _transferId: string): Promise<Blob | undefined> {
  return undefined
}
