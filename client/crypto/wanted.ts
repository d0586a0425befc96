import { z } from 'zod'
import { jsonOf } from '../vault/rows.ts'
import type { Write } from '../vault/vault.ts'
import { withBook } from './book.ts'
import type { Live } from './live.ts'

/** The most entered addresses without an answer that are kept: the oldest gives way. */
const WANTED_MAX = 20

const ROW = 'wanted'

/** The keys of onion addresses that the person entered, while no answer of the server said whose they are. Ed25519, base64. */
export async function wantedKeys({ vault }: Live): Promise<string[]> {
  const row = await vault.get('sealed', ROW)
  return row ? jsonOf(z.array(z.string()), row) : []
}

/** The change that forgets keys whose accounts are known now. */
export const wantedWrite = (wanted: string[], found: string[]): Write => {
  const left = wanted.filter((key) => !found.includes(key))
  return { store: 'sealed', key: ROW, value: left.length > 0 ? { json: left } : null }
}

/**
 * Notes the key of an onion address before the server is asked whose it is: if the answer is lost, the account with this key counts as
 * added by address all the same [Note: I1].
 */
export const wantAddress = (live: Live, { identityKey }: { identityKey: string }): Promise<void> =>
  withBook(live, async () => {
    const wanted = (await wantedKeys(live)).filter((key) => key !== identityKey)
    await live.vault.write([{ store: 'sealed', key: ROW, value: { json: [...wanted, identityKey].slice(-WANTED_MAX) } }])
  })
