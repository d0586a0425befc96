import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { speakerOf } from './speaker.ts'
import * as store from './store.ts'

/**
 * Counts the transfer’s bytes for the day of both accounts, where there is a relay. Throws Refusal: `not_found` but for the two browsers of
 * a transfer that runs.
 */
export async function countRelayed(env: Env, user: SignedInUser, transferId: string): Promise<void> {
  const verdict = await store.relayTransfer(env.db, speakerOf(user), { transferId, isCounted: env.relay.isThere() }, env.clock())
  if (verdict !== 'given') throw new Refusal(verdict)
}
