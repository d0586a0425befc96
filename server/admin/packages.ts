import { randomUUID } from 'node:crypto'
import type { AdminPackage, PackageForm } from '../../contract/admin/adminpackages.ts'
import { PLAN_LIMITS } from '../../contract/money/planlimits.ts'
import { UNLIMITED } from '../../contract/money/plans.ts'
import type { Env, SignedInUser } from '../env.ts'
import { announceChange } from '../ground/db/changes.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { writePackageRights } from '../ground/db/planrights.ts'
import { refreshStanding } from '../money/ledger/ledger.ts'
import { type PriceField, requirePrices } from '../money/payments/priceIds.ts'
import { tierOf } from '../money/plans/plans.ts'
import { Refusal } from '../refuse.ts'
import { requireAdministrator } from './acts.ts'
import { writeAudit } from './audit.ts'
import * as store from './store-packages.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const LIMITED = ['messagesLimit', 'fileStorageGB', 'videoCallMinutes'] as const

/** Lists the packages in their order, then those that are archived. One that was deleted before anybody bought it is in neither. */
export async function listPackages({ db }: Env): Promise<AdminPackage[]> {
  const [kept, archived] = await Promise.all([store.listKept(db), store.listArchived(db)])
  return [...kept, ...archived].map(shown)
}

const shown = ({ row, isBought }: store.PackageRow): AdminPackage => ({
  ...{ ...row, isBought, tier: tierOf(row.tier) },
  ...{ createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() },
  archivedAt: row.archivedAt?.toISOString() ?? null,
})

/** The prices of the form at the card provider, but for those that `kept` has already. */
function pricesOf(form: PackageForm, kept?: store.PackageRow['row']): PriceField[] {
  const { stripePriceIdMonthly: monthly, stripePriceIdYearly: yearly } = form
  return [
    ...(monthly !== null && monthly !== kept?.stripePriceIdMonthly
      ? [{ field: 'stripePriceIdMonthly', priceId: monthly, billingPeriod: 'monthly' as const, amountCents: form.monthlyPrice }]
      : []),
    ...(yearly !== null && yearly !== kept?.stripePriceIdYearly
      ? [{ field: 'stripePriceIdYearly', priceId: yearly, billingPeriod: 'yearly' as const, amountCents: form.yearlyPrice }]
      : []),
  ]
}

/** The provider answers before a lock is taken. Throws Refusal. */
async function checkPrices(env: Env, actor: SignedInUser, form: PackageForm, id?: string): Promise<void> {
  const stored = await env.db.transaction(async (tx) => {
    await requireAdministrator(tx, actor)
    return id === undefined ? undefined : (await hold(tx, id)).row
  })
  // With cards off nobody can check, nor buy by, what was stored before.
  await requirePrices(env, pricesOf(form, env.card.provider === 'off' ? stored : undefined))
}

/** Adds a package, which is sold from now on. Throws Refusal. */
export async function createPackage(env: Env, actor: SignedInUser, form: PackageForm): Promise<AdminPackage> {
  const [id, now] = [randomUUID(), env.clock()]
  await checkPrices(env, actor, form)
  return await env.db.transaction(async (tx) => {
    await requireAdministrator(tx, actor)
    // By then nobody can pay a checkout any more that was begun before the package was deleted.
    await store.deleteUnbought(tx, new Date(now.getTime() - DAY_MS))
    if ((await store.countKept(tx)) >= PLAN_LIMITS.packagesMax) throw new Refusal('too_many_packages')
    await store.insertPackage(tx, { ...form, id, voiceCallMinutes: UNLIMITED, createdAt: now, updatedAt: now })
    await writePackageRights(tx)
    await writeAudit(tx, now, { actorId: actor.id, act: 'create-package', target: id, before: null, after: form })
    return shown(await hold(tx, id))
  })
}

async function hold(tx: Queryable, id: string): Promise<store.PackageRow> {
  const found = await store.holdPackage(tx, id)
  if (!found) throw new Refusal('package_not_found')
  return found
}

type Change = Partial<store.PackageRow['row']>

interface Act {
  act: 'update-package' | 'toggle-package' | 'delete-package'
  /** Returns what the act writes. Throws Refusal. */
  changes: (found: store.PackageRow, now: Date) => Change
}

/** Changes a package by an act, with its row of the audit trail. Nothing is written where nothing changes. */
async function change(env: Env, actor: SignedInUser, id: string, { act, changes }: Act): Promise<AdminPackage> {
  const now = env.clock()
  return await env.db.transaction(async (tx) => {
    await requireAdministrator(tx, actor)
    const found = await hold(tx, id)
    if (found.row.archivedAt) throw new Refusal('package_archived')
    const before: Record<string, unknown> = found.row
    const after = Object.fromEntries(Object.entries(changes(found, now)).filter(([name, value]) => before[name] !== value))
    const names = Object.keys(after)
    if (names.length === 0) return shown(found)
    await store.savePackage(tx, id, { ...after, updatedAt: now })
    await writePackageRights(tx)
    if (LIMITED.some((name) => names.includes(name))) {
      await announceChange(tx, await store.findHolders(tx, id), 'plan')
      // It may allow more now than the plan that counted beside it.
      for (const userId of await store.findPayersBeside(tx, id, now)) await refreshStanding(tx, userId, now)
    }
    await writeAudit(tx, now, {
      ...{ actorId: actor.id, act, target: id, after },
      before: { name: found.row.name, ...Object.fromEntries(names.map((name) => [name, before[name]])) },
    })
    return shown(await hold(tx, id))
  })
}

/** Changes a package. What somebody has paid for is not made smaller. Throws Refusal. */
export async function updatePackage(env: Env, actor: SignedInUser, id: string, form: PackageForm): Promise<AdminPackage> {
  await checkPrices(env, actor, form, id)
  return await change(env, actor, id, {
    act: 'update-package',
    changes: ({ row, isBought }) => {
      const isSmaller = form.tier !== row.tier || LIMITED.some((name) => allows(form[name]) < allows(row[name]))
      if (isBought && isSmaller) throw new Refusal('package_bought')
      return form
    },
  })
}

const allows = (limit: number): number => (limit < 0 ? Number.POSITIVE_INFINITY : limit)

/** Shows or hides a package. Throws Refusal. */
export const togglePackage = (env: Env, actor: SignedInUser, id: string, isActive: boolean): Promise<AdminPackage> =>
  change(env, actor, id, { act: 'toggle-package', changes: () => ({ isActive }) })

/**
 * Takes a package from sale for good. The row stays: a checkout that was begun may still be paid, and what was bought is renewed. Returns
 * whether it was bought; if not, it is gone for everybody. Throws Refusal.
 */
export async function deletePackage(env: Env, actor: SignedInUser, id: string): Promise<{ isArchived: boolean }> {
  const { isBought } = await change(env, actor, id, {
    act: 'delete-package',
    changes: (_found, now) => ({ isActive: false, archivedAt: now }),
  })
  return { isArchived: isBought }
}
