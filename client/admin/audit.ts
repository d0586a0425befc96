import { z } from 'zod'
import { AUDIT, type AuditAct, type AuditRow, auditApi } from '../../contract/admin/audit.ts'
import type { Env } from '../env.ts'

const named = z.object({ name: z.string() })

/** The name of what was made, changed or deleted, such as a package; undefined if the row has none. */
export function nameIn({ before, after }: AuditRow): string | undefined {
  const found = [after, before].map((text) => named.safeParse(JSON.parse(text)).data?.name)
  return found.find((name) => name !== undefined)
}

/** Reads every row that fits, newest first. Throws ApiError. */
export async function readAudit(env: Env, filter: { act?: AuditAct; username?: string }): Promise<AuditRow[]> {
  const found: AuditRow[] = []
  for (;;) {
    const last = found.at(-1)?.seq
    const page = await env.api(auditApi.list, {
      ...filter,
      limit: AUDIT.pageMax,
      ...(last !== undefined && { before: last }),
    })
    found.push(...page.rows)
    if (!page.hasMore) return found
  }
}
