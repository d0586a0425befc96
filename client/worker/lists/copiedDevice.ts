import { z } from 'zod'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

const ROW = 'copied'

/** The change that notes that a copy of this browser's data is in use elsewhere, until the person answers [Note: V2]. */
export const copiedWrite = (at: Date): Write => ({ store: 'sealed', key: ROW, value: { json: at.toISOString() } })

/** When this browser noticed that its data was copied or restored, ISO 8601; null if it was not, or the person has answered. */
export async function copiedAt({ vault }: Live): Promise<string | null> {
  const row = await vault.get('sealed', ROW)
  return row ? jsonOf(z.string(), row) : null
}

/** Notes that the person restored the data themselves, so that no warning appears until another copy is detected. */
export const copyKnown = ({ vault }: Live): Promise<void> => vault.write([{ store: 'sealed', key: ROW, value: null }])
