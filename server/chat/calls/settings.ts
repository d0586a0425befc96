import type { z } from 'zod'
import type { callsApi } from '../../../contract/chat/calls.ts'
import type { Env, SignedInUser } from '../../env.ts'
import * as store from './store-settings.ts'

type Settings = z.input<typeof callsApi.settings.output>

export async function callSettings({ db, relay }: Env, { id }: SignedInUser): Promise<Settings> {
  return { ringsClosed: await store.findRingsClosed(db, id), hasRelay: relay.isThere(), hidesByDefault: relay.isOperators }
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
