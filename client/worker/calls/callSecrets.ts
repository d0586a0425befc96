import { type Bytes, concat, encodeFields } from '../../../contract/ground/bytes.ts'
import { exportFrom } from '../group/mls.ts'
import { hkdf, sha256 } from '../primitives/seal.ts'
import type { CallEnd, CallPlace, HeldCall } from './heldCalls.ts'

type Attempt = Pick<CallPlace, 'callId' | 'attempt'>

/** [Note: M3] */
export const boundTo = ({ callId, attempt }: Attempt, { device, nonce, fingerprint }: CallEnd): Bytes =>
  sha256('conclave/call-commit/v1', callId, String(attempt), device, nonce, fingerprint)

/** The caller's nonce first. */
export const callKeyOf = (exporter: Uint8Array, { callId, attempt }: Attempt, nonces: [Uint8Array, Uint8Array]): Promise<Bytes> =>
  exportFrom(exporter, 'conclave/call/v1', encodeFields(callId, String(attempt), ...nonces))

export const frameKeyOf = (callKey: Uint8Array, senderDevice: string): Promise<Bytes> =>
  hkdf(callKey, 'conclave/call-frame/v1', senderDevice)

/** The caller's first. */
export interface WordsOf {
  nonces: [Uint8Array, Uint8Array]
  callKey: Uint8Array
  accountKeys: [Uint8Array, Uint8Array]
  fingerprints: [Uint8Array, Uint8Array]
}

export const wordSeedOf = ({ nonces, callKey, accountKeys, fingerprints }: WordsOf): Promise<Bytes> =>
  hkdf(concat(...nonces, callKey), 'conclave/call-words/v1', ...accountKeys, ...fingerprints)

const WORDS = 4
const WORD_BITS = 11

export function wordsOf(seed: Uint8Array, list: readonly string[]): string[] {
  const bits = [...seed].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return Array.from({ length: WORDS }, (_, at) => {
    const word = list[Number.parseInt(bits.slice(at * WORD_BITS, (at + 1) * WORD_BITS), 2)]
    if (word === undefined) throw new Error('The list has fewer than 2,048 words')
    return word
  })
}

/** The caller's first. */
export const inOrder = <T>({ isCaller }: Pick<HeldCall, 'isCaller'>, own: T, other: T): [T, T] =>
  isCaller ? [own, other] : [other, own]
