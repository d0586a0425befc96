import type { z } from 'zod'
import type { transfersApi } from '../../../contract/chat/transfers.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { speakerOf } from './speaker.ts'
import * as store from './store.ts'

/** Tells nobody: the message does. Throws Refusal. */
export async function offerTransfer(
  env: Env,
  user: SignedInUser,
  offer: z.output<typeof transfersApi.offer.input>,
): Promise<Record<string, never>> {
  const verdict = await store.offerTransfer(env.db, speakerOf(user), offer, env.clock())
  if (verdict !== 'offered' && verdict !== 'known') throw new Refusal(verdict)
  return {}
}
