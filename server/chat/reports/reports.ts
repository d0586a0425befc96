import type { z } from 'zod'
import { REPORT_LIMITS } from '../../../contract/chat/reportlimits.ts'
import type { reportsApi } from '../../../contract/chat/reports.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { requireRoom } from '../rooms/members.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const DROPPED_AT_ONCE = 500

/**
 * Keeps a report of a person for the administration, with messages of theirs as far as the reporter discloses them. The person is not
 * told. Throws Refusal.
 */
export async function sendReport(
  env: Env,
  user: SignedInUser,
  { contactId, ...report }: z.output<typeof reportsApi.send.input>,
): Promise<Record<string, never>> {
  const found = await store.findReported(env.db, user.id, contactId)
  if (!found) throw new Refusal('not_found')
  const { reportedId, chatRoomId } = found
  const seqs = [...new Set(report.messages.map(({ seq }) => seq))]
  // Which messages are whose is said in the chat: a locked one is opened first.
  if (seqs.length > 0) await requireRoom(env.db, user, chatRoomId, env.clock())
  const isTheirs = (await store.countSent(env.db, chatRoomId, reportedId, seqs)) === seqs.length
  if (!isTheirs || seqs.length < report.messages.length)
    throw new Refusal('invalid_input', { text: 'Report messages of this person only, each once' })
  await env.db.transaction(async (tx) => {
    await store.insertReport(tx, { ...report, reporterId: user.id, reportedId, chatRoomId, createdAt: env.clock() })
    await store.trimReports(tx, user.id, REPORT_LIMITS.reportsPerUser)
  })
  return {}
}

/** Lists a page of what people have reported, newest first, for administrators. */
export async function listReports(env: Env, before: string | undefined): Promise<z.input<typeof reportsApi.list.output>> {
  const rows = await store.findReports(env.db, before === undefined ? undefined : new Date(before), REPORT_LIMITS.reportsPage + 1)
  const reports = rows.slice(0, REPORT_LIMITS.reportsPage).map(({ createdAt, messages, sent, ...report }) => ({
    ...report,
    at: createdAt.toISOString(),
    messages: messages.map((message) => ({ ...message, sentAt: sent?.[message.seq] ?? null })),
  }))
  return { reports, hasMore: rows.length > REPORT_LIMITS.reportsPage }
}

/** Deletes reports that are older than `REPORT_LIMITS.reportDays`. One piece of a job: returns true if more are left. */
export async function dropOldReports(env: Env): Promise<boolean> {
  const upTo = new Date(env.clock().getTime() - REPORT_LIMITS.reportDays * DAY_MS)
  return (await store.deleteOldReports(env.db, upTo, DROPPED_AT_ONCE)) === DROPPED_AT_ONCE
}
