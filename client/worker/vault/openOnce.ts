import { sameBytes } from '../../../contract/ground/bytes.ts'
import type { VaultValue } from './vaultRows.ts'

const LARGE_BYTES = 16 * 1024
const KEPT = 4

const NONCE_BYTES = 12
const TAG_BYTES = 16
const endsOf = (sealed: Uint8Array): [Uint8Array, Uint8Array] => [sealed.slice(0, NONCE_BYTES), sealed.slice(-TAG_BYTES)]

interface Opened {
  ends: [Uint8Array, Uint8Array]
  value: VaultValue
}

/** Caches large rows, which readers share and must not change. */
export function openingOnce(): (name: string, sealed: unknown, open: () => Promise<VaultValue>) => Promise<VaultValue> {
  const known = new Map<string, Opened>()
  return async (name, sealed, open) => {
    if (!(sealed instanceof Uint8Array) || sealed.length < LARGE_BYTES) return open()
    const ends = endsOf(sealed)
    const last = known.get(name)
    const isSame = last && sameBytes(last.ends[0], ends[0]) && sameBytes(last.ends[1], ends[1])
    const value = isSame ? last.value : await open()
    known.delete(name)
    if (!value.bytes) known.set(name, { ends, value })
    const oldest = known.keys().next()
    if (known.size > KEPT && !oldest.done) known.delete(oldest.value)
    return value
  }
}

export interface Parsed<T> {
  ends: string
  value: T
}

export async function parsedOnce<T>(sealed: unknown, kept: Parsed<T> | undefined, parse: () => Promise<T>): Promise<Parsed<T>> {
  const ends = sealed instanceof Uint8Array ? endsOf(sealed).map(lettersOf).join('') : ''
  return kept && kept.ends === ends ? kept : { ends, value: await parse() }
}

const lettersOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
