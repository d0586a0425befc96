import { z } from 'zod'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

export const WANTED = 'wanted'

/** Returns unanswered keys: Ed25519, base64. */
export async function wantedKeys({ vault }: Live): Promise<string[]> {
  const row = await vault.get('sealed', WANTED)
  return row ? jsonOf(z.array(z.string()), row) : []
}

export const wantedWrite = (wanted: string[], found: string[]): Write => {
  const left = wanted.filter((key) => !found.includes(key))
  return { store: 'sealed', key: WANTED, value: left.length > 0 ? { json: left } : null }
}
