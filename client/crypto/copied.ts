import { z } from 'zod'
import { jsonOf } from '../vault/rows.ts'
import type { Write } from '../vault/vault.ts'
import type { Live } from './live.ts'

const ROW = 'copied'

/** The change that remembers that this browser's data lives on in another place too, until the person answers [Note: V2]. */
export const copiedWrite = (at: Date): Write => ({ store: 'sealed', key: ROW, value: { json: at.toISOString() } })

/** When it was noticed that this browser's data was copied or restored, ISO 8601; null where it was not, or the person has answered. */
export async function copiedAt({ vault }: Live): Promise<string | null> {
  const row = await vault.get('sealed', ROW)
  return row ? jsonOf(z.string(), row) : null
}

/** The person has restored the data: it is not said again, until another copy shows. */
export const copyKnown = ({ vault }: Live): Promise<void> => vault.write([{ store: 'sealed', key: ROW, value: null }])
