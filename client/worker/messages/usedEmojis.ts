import { z } from 'zod'
import type { Live } from '../keys/live.ts'
import { jsonOf } from '../vault/vaultRows.ts'

export interface UsedEmojis {
  /** Newest first. */
  used: string[]
  /** 0: none, 5: dark. */
  tone: number
}

const KEY = 'emojis'
const USED_MAX = 16
const shape = z.object({ used: z.array(z.string()), tone: z.number() })

export async function readEmojis({ vault }: Live): Promise<UsedEmojis> {
  const row = await vault.get('sealed', KEY)
  return row ? jsonOf(shape, row) : { used: [], tone: 0 }
}

export const keepEmojis = ({ vault }: Live, { used, tone }: UsedEmojis): Promise<void> =>
  vault.write([{ store: 'sealed', key: KEY, value: { json: { used: used.slice(0, USED_MAX), tone } } }])
