import { contentWords } from '../../../contract/chat/kinds/kinds.ts'
import { REPORT_LIMITS } from '../../../contract/chat/reportlimits.ts'
import { type REPORT_CATEGORIES, type ReportedMessage, reportsApi } from '../../../contract/chat/reports.ts'
import type { Env } from '../../env.ts'
import { isRequest } from '../../rooms/list/room.ts'
import type { DirectRow } from '../../rooms/list/roomList.ts'

/** How far back the newest messages are offered for a report. */
const OFFERED = 100

export interface Offered extends ReportedMessage {
  /** ISO 8601. */
  at: string
}

/** The newest messages of the other person that can be read here, newest first, cut to what a report takes. */
export async function reportable(env: Env, room: DirectRow): Promise<Offered[]> {
  if (isRequest(room)) return []
  const { messages } = await env.crypto.page({ chatRoomId: room.id, limit: OFFERED })
  const theirs = messages.flatMap(({ seq, at, body, senderId }) => {
    if (senderId === room.ownId || (body.kind !== 'content' && body.kind !== 'plain')) return []
    const text = body.kind === 'content' ? contentWords(body.content) : body.text
    return [{ seq, at, text: text.slice(0, REPORT_LIMITS.reportedTextMax) }]
  })
  return theirs.reverse().slice(0, REPORT_LIMITS.reportedMessagesMax)
}

interface Report {
  /** The same at each try, so that a report is kept once. */
  id: string
  category: (typeof REPORT_CATEGORIES)[number]
  text: string
  messages: ReportedMessage[]
}

/** Sends a report to the administration of the server. Throws ApiError. */
export async function sendReport(env: Env, { direct }: DirectRow, { messages, ...report }: Report): Promise<void> {
  await env.api(reportsApi.send, {
    contactId: direct.contactId,
    ...report,
    messages: messages.map(({ seq, text }) => ({ seq, text })),
  })
}
