import type { z } from 'zod'
import type { transfersApi } from '../../../contract/chat/transfers.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { speakerOf, tellChanged } from './speaker.ts'
import * as store from './store.ts'
import * as ends from './store-ends.ts'

const AT_ONCE = 500

/** Throws Refusal. */
export async function endTransfer(
  env: Env,
  user: SignedInUser,
  end: z.output<typeof transfersApi.end.input>,
): Promise<Record<string, never>> {
  const verdict = await store.endTransfer(env.db, speakerOf(user), end, env.clock())
  if (verdict === 'over') return {}
  if (verdict !== 'ended') throw new Refusal(verdict, verdict === 'invalid_input' ? { text: 'The other end says so' } : {})
  const transfer = await store.findTransfer(env.db, end.transferId)
  if (transfer) await tellChanged(env, [transfer], user.id)
  return {}
}

/** A job: ends what is due, and deletes what ended a day ago. */
export async function endDueTransfers(env: Env): Promise<boolean> {
  const now = env.clock()
  const ended = await ends.endDue(env.db, now, AT_ONCE)
  await tellChanged(env, ended)
  const deleted = await ends.deleteOver(env.db, now, AT_ONCE)
  return ended.length >= AT_ONCE || deleted === AT_ONCE
}

/** Returns what tells the others, after COMMIT. */
export async function forgetTransfers(env: Env, tx: Queryable, userId: string): Promise<() => Promise<void>> {
  const ended = await ends.endOfAccount(tx, userId, env.clock())
  return () => tellChanged(env, ended)
}
