import { PLAN_LIMITS } from '../../../contract/money/planlimits.ts'
import type { Env } from '../../env.ts'
import type { Letter } from '../../ground/outbound/mail.ts'
import * as store from './store-mails.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** After each try; after the last one nothing more is tried. */
const WAITS_MS = [10, 60, 6 * 60, 24 * 60].map((minutes) => minutes * MINUTE_MS)
const AT_ONCE = 10

/**
 * Writes one mail about each renewal that has failed, where the account has an address. Each try is written down before it is made, so
 * that no two servers send it. A job: returns true if more are left.
 */
export async function mailFailures(env: Env): Promise<boolean> {
  if (!env.mail.isOn || env.card.provider === 'off') return false
  const due = await store.findUnmailed(env.db, env.card.providerId, env.clock(), AT_ONCE)
  for (const { userId, failedSince, tries } of due) {
    const waitMs = WAITS_MS[tries]
    const nextAt = waitMs === undefined ? null : new Date(env.clock().getTime() + waitMs)
    const claimed = await store.claimMail(env.db, { providerId: env.card.providerId, userId, failedSince, tries, nextAt })
    if (!claimed) continue
    const isTaken = await env.mail.send(letterOf(env, claimed.address, failedSince))
    await env.fault?.('payments:mailed')
    // A silent mail server holds the other jobs once a run.
    if (!isTaken) return false
    await store.endMail(env.db, env.card.providerId, userId, failedSince)
  }
  return due.length === AT_ONCE
}

/** Nobody is named: a typed address may be a stranger's. */
function letterOf({ config }: Env, to: string, failedSince: Date): Letter {
  const [origin = ''] = config.direct.origins(undefined)
  const end = new Date(failedSince.getTime() + PLAN_LIMITS.graceDays * DAY_MS)
  const day = end.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  return {
    to,
    subject: 'A payment for your plan has failed',
    text: `The card could not be charged for your plan on Conclave.
The plan goes on until ${day}. Then sending stops,
and everything stays readable.

Sign in to pay, or to change the card:
${origin}/subscribe

This is the only mail about this payment. It was sent because
this address stands in a profile there. You do not know of it?
Then somebody has mistyped theirs, and there is nothing to do.
`,
  }
}
