import { sql } from 'drizzle-orm'
import { PLANS, PLANS_VERSION, UNLIMITED } from '../../../contract/money/plans.ts'
import type { Queryable } from './connect.ts'
import { planRights } from './schema/plans.ts'

/** The table of a newer server stays. */
export async function writePlanRights(db: Queryable): Promise<void> {
  const rows = Object.entries(PLANS).map(([plan, { rights, messagesPerMonth, fileBytes, storageBytes }]) => ({
    plan,
    tier: plan,
    version: PLANS_VERSION,
    canSend: rights.send,
    canCall: rights.call,
    canShareFiles: rights.shareFiles,
    hasFamily: rights.family,
    messagesPerMonth,
    fileBytes,
    storageBytes,
  }))
  await db
    .insert(planRights)
    .values(rows)
    .onConflictDoUpdate({
      target: planRights.plan,
      set: {
        version: sql`excluded.version`,
        tier: sql`excluded.tier`,
        canSend: sql`excluded.can_send`,
        canCall: sql`excluded.can_call`,
        canShareFiles: sql`excluded.can_share_files`,
        hasFamily: sql`excluded.has_family`,
        messagesPerMonth: sql`excluded.messages_per_month`,
        fileBytes: sql`excluded.file_bytes`,
        storageBytes: sql`excluded.storage_bytes`,
      },
      setWhere: sql`${planRights.version} < excluded.version`,
    })
  await writePackageRights(db)
}

const PACKAGE = sql.raw(`'package:'`)

/** Must run in the transaction that changes a package. 1 GB is 1,073,741,824 bytes. */
export async function writePackageRights(db: Queryable): Promise<void> {
  await db.execute(sql`
    insert into plan_rights (plan, tier, version, can_send, can_call, can_share_files, has_family, messages_per_month, file_bytes,
      storage_bytes, voice_call_minutes, video_call_minutes)
    select ${PACKAGE} || p.id, t.plan, t.version, t.can_send, t.can_call, t.can_share_files, t.has_family, p.messages_limit, t.file_bytes,
      case when p.file_storage_gb < 0 then ${UNLIMITED} else p.file_storage_gb::bigint * 1073741824 end,
      p.voice_call_minutes, p.video_call_minutes
    from premium_packages p join plan_rights t on t.plan = p.tier
    on conflict (plan) do update set
      tier = excluded.tier, version = excluded.version, can_send = excluded.can_send, can_call = excluded.can_call,
      can_share_files = excluded.can_share_files, has_family = excluded.has_family,
      messages_per_month = excluded.messages_per_month, file_bytes = excluded.file_bytes, storage_bytes = excluded.storage_bytes,
      voice_call_minutes = excluded.voice_call_minutes, video_call_minutes = excluded.video_call_minutes
    where (plan_rights.*) is distinct from (excluded.*)`)
}
