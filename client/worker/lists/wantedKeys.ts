import { z } from 'zod'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

export const WANTED = 'wanted'

/** The keys of onion addresses that the person entered, while no answer of the server said whose they are. Ed25519, base64. */
export async function wantedKeys({ vault }: Live): Promise<string[]> {
  const row = await vault.get('sealed', WANTED)
  return row ? jsonOf(z.array(z.string()), row) : []
}

/** The change that forgets keys whose accounts are known now. */
export const wantedWrite = (wanted: string[], found: string[]): Write => {
  const left = wanted.filter((key) => !found.includes(key))
  return { store: 'sealed', key: WANTED, value: left.length > 0 ? { json: left } : null }
}
