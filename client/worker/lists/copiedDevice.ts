import { z } from 'zod'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

const ROW = 'copied'

/** Returns the write that warns of a copy [Note: V2]. */
export const copiedWrite = (at: Date): Write => ({ store: 'sealed', key: ROW, value: { json: at.toISOString() } })

/** Returns the warning's time (ISO 8601), or null. */
export async function copiedAt({ vault }: Live): Promise<string | null> {
  const row = await vault.get('sealed', ROW)
  return row ? jsonOf(z.string(), row) : null
}

/** Ends the warning until the next copy. */
export const copyKnown = ({ vault }: Live): Promise<void> => vault.write([{ store: 'sealed', key: ROW, value: null }])
