import type { Env, SignedInUser } from '../../env.ts'
import * as store from './store-settings.ts'

export async function callSettings(env: Env, { id }: SignedInUser): Promise<{ ringsClosed: boolean; hasRelay: boolean }> {
  return { ringsClosed: await store.findRingsClosed(env.db, id), hasRelay: env.relay.isThere() }
}

/** Switches whether calls ring the account's closed browsers, from the next one on. */
export async function updateCallSettings(
  env: Env,
  { id }: SignedInUser,
  { ringsClosed }: { ringsClosed: boolean },
): Promise<Record<string, never>> {
  await store.setRingsClosed(env.db, id, ringsClosed)
  return {}
}
