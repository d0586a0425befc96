import { type Bytes, concat, encodeFields } from '../../../contract/ground/bytes.ts'
import { exportFrom } from '../group/mls.ts'
import type { CallEnd, CallPlace, CallSubject, HeldCall } from '../keys/heldCalls.ts'
import { hkdf, type Label, sha256 } from '../primitives/seal.ts'

type Attempt = Pick<CallPlace, 'subject' | 'callId' | 'attempt'>

/** [Note: M3, M11] */
export const LABELS = {
  call: {
    ...{ commit: 'conclave/call-commit/v1', key: 'conclave/call/v1' },
    ...{ frame: 'conclave/call-frame/v1', signal: 'conclave/call-signal/v1' },
  },
  transfer: {
    ...{ commit: 'conclave/transfer-commit/v1', key: 'conclave/transfer/v1' },
    ...{ frame: 'conclave/transfer-frame/v1', signal: 'conclave/transfer-signal/v1' },
  },
} as const satisfies Record<CallSubject, Record<string, Label>>

/** [Note: M3] */
export const boundTo = ({ subject = 'call', callId, attempt }: Attempt, { device, nonce, fingerprint }: CallEnd): Bytes =>
  sha256(LABELS[subject].commit, callId, String(attempt), device, nonce, fingerprint)

/** The caller's nonce first. */
export const callKeyOf = (
  exporter: Uint8Array,
  { subject = 'call', callId, attempt }: Attempt,
  nonces: [Uint8Array, Uint8Array],
): Promise<Bytes> => exportFrom(exporter, LABELS[subject].key, encodeFields(callId, String(attempt), ...nonces))

export const frameKeyOf = (callKey: Uint8Array, subject: CallSubject, senderDevice: string): Promise<Bytes> =>
  hkdf(callKey, LABELS[subject].frame, senderDevice)

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
