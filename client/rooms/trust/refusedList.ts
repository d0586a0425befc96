import { CryptoFailure, type Mismatch } from '../../worker/crypto.ts'

/** What is wrong with the device list that the server shows of a person [Note: D1]. Their key is the same as ever. */
export type ListFault =
  | 'list_unsigned'
  | 'list_older'
  | 'list_contradicts'
  | 'list_absent'
  | 'list_older_elsewhere'
  | 'list_differs_elsewhere'

/** Each stops sending. The person decides about a mismatch; a list is put right by the server alone. */
export type Stop = Mismatch | ListFault

const FAULTS: Record<string, ListFault> = {
  signature: 'list_unsigned',
  malformed: 'list_unsigned',
  identity: 'list_unsigned',
  manifest_rollback: 'list_older',
  manifest_fork: 'list_contradicts',
  manifest_removed_gone: 'list_contradicts',
  manifest_keys: 'list_contradicts',
  manifest_name: 'list_contradicts',
  manifest_absent: 'list_absent',
  pin_newer: 'list_older_elsewhere',
  pin_differs: 'list_differs_elsewhere',
}

const WORDS: Record<ListFault, string> = {
  list_unsigned: 'The server shows a device list that this person has not signed',
  list_older: 'The server shows an older device list of this person than this browser has seen',
  list_contradicts: 'The server shows a device list of this person that contradicts the one before it',
  list_absent: 'The server shows no device list of this person',
  list_older_elsewhere: 'The server shows an older device list of this person than another of your browsers has noted',
  list_differs_elsewhere: 'The server shows another device list of this person than another of your browsers has noted',
}

export const isListFault = (stop: Stop): stop is ListFault => stop in WORDS

/** `code` is that of the failure behind it. */
export class RefusedList extends CryptoFailure {
  readonly userId: string
  readonly fault: ListFault

  constructor(userId: string, fault: ListFault, cause: CryptoFailure) {
    super(cause.code, `${WORDS[fault]}. Nothing is sent to them until it shows the right one`, { cause })
    this.userId = userId
    this.fault = fault
  }
}

/** Throws RefusedList in place of a failure of this person's list. */
export async function refusingList<T>(userId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = error instanceof CryptoFailure ? FAULTS[error.code] : undefined
    if (!(error instanceof CryptoFailure) || !fault) throw error
    throw new RefusedList(userId, fault, error)
  }
}
