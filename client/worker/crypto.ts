import type { Core } from './core.ts'
import { isStillRead } from './lists/mismatch.ts'
import { CryptoFailure } from './primitives/failure.ts'
import { loadPart } from './primitives/loadPart.ts'

/**
 * The only access to keys and state. The code behind it runs in a worker; no key leaves the worker. Failures of cryptography
 * arrive as CryptoFailure with their code.
 */
export type Crypto = Core

export type { KeyChangeRequest } from './account/changeKeys.ts'
export type { SignalKind } from './calls/callFrames.ts'
export type { NotedCall } from './calls/notedCalls.ts'
export type { UploadRow } from './files/uploadrows.ts'
export type { DeviceName } from './keys/identity.ts'
export type { LockEntry } from './keys/lockSecret.ts'
export type { ChatLocks, SeenPasswords } from './lists/chatlocks.ts'
export type { KnownAccount } from './lists/compareAccounts.ts'
export type { ScannedCode } from './lists/contactCode.ts'
export type { ListedDevice } from './lists/listedDevices.ts'
export type { Mismatch } from './lists/mismatch.ts'
export type { ManifestOutcome } from './lists/peers.ts'
export type { RoomState } from './log/prepareRoom.ts'
export type { LogOutcome } from './log/receiveLog.ts'
export type { BegunEdit } from './messages/begunRows.ts'
export type { Marks } from './messages/marks.ts'
export type { NewerVersions } from './messages/namedVersions.ts'
export type { OutboxRow } from './messages/outbox.ts'
export type { Quoted, Signer, Wording } from './messages/quoted.ts'
export type { UsedEmojis } from './messages/usedEmojis.ts'
export type { FoundMessage } from './searchindex/search.ts'
export type { TransferRow } from './transfers/transferRow.ts'
export type { StoredBody, StoredMessage } from './vault/storedMessage.ts'
export type { MessagePage } from './vault/storedPage.ts'
export type { EpochName, Fork } from './vault/storedRoom.ts'
export type { LockAfter } from './vault/vaultHead.ts'
export type { LockStanding, VaultWays } from './vault/vaultLock.ts'
export { CryptoFailure, isStillRead, loadPart }

/**
 * True if the account was closed, or the chat locked, during an operation: nothing failed, and the screen already shows that it is
 * closed.
 */
export const isClosed = (error: unknown): boolean =>
  error instanceof CryptoFailure && ['closed', 'vault_closed', 'room_locked'].includes(error.code)

/** A request to the worker. */
export interface Ask {
  id: number
  verb: string
  input: unknown[]
}

/** The worker's response. */
export type Answer = { id: number; ok: true; value: unknown } | { id: number; ok: false; code: string; text: string }

/**
 * Makes a client of the worker, which starts at the first verb: each is one request message and one response message. Bytes that are an
 * argument of their own are given away: the page has them no more.
 */
export function openCrypto(startWorker: () => Worker): Crypto {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let last = 0
  let dead: CryptoFailure | undefined
  let worker: Worker | undefined
  const open = (): Worker => {
    const started = startWorker()
    started.onmessage = ({ data: answer }: MessageEvent<Answer>) => {
      const call = waiting.get(answer.id)
      waiting.delete(answer.id)
      if (answer.ok) call?.resolve(answer.value as never)
      else call?.reject(answer.code === '' ? new Error(answer.text) : new CryptoFailure(answer.code, answer.text))
    }
    started.onerror = (event) => {
      dead = new CryptoFailure('worker', `Encryption stopped in this tab: ${event.message}. Reload the page`)
      for (const call of waiting.values()) call.reject(dead)
      waiting.clear()
    }
    return started
  }
  const ask = (verb: string, input: unknown[]) =>
    new Promise((resolve, reject) => {
      if (dead) return reject(dead)
      last += 1
      waiting.set(last, { resolve, reject })
      worker ??= open()
      const given = input.flatMap((one) => (one instanceof Uint8Array ? [one.buffer] : []))
      worker.postMessage({ id: last, verb, input } satisfies Ask, given)
    })
  return new Proxy({} as Crypto, {
    get: (_, verb: string) => (verb === 'then' ? undefined : (...input: unknown[]) => ask(verb, input)),
  })
}
