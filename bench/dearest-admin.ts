import { randomUUID } from 'node:crypto'
import { familyApi } from '../contract/account/family.ts'
import { adminPackagesApi } from '../contract/admin/adminpackages.ts'
import { AUDIT } from '../contract/admin/audit.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { PLAN_LIMITS } from '../contract/money/planlimits.ts'
import { RECEIPT_LIMITS } from '../contract/money/receipts.ts'
import type { Person } from '../server/testing/person.ts'
import { confirms, type Request, type Scene } from './scene.ts'

/** An administrator who has just confirmed, and acts on somebody new. */
const acting =
  (input: object = {}): Request =>
  async (scene) => {
    const who = await administrator(scene)
    return { who, input: { id: (await scene.newcomer()).id, ...input } }
  }

const asking =
  (input: object = {}): Request =>
  async (scene) => ({ who: await administrator(scene), input: { ...input } })

const PACKAGE = {
  ...{ name: 'x'.repeat(100), tier: 'premium' as const, description: 'x'.repeat(1000), monthlyPrice: 100, yearlyPrice: 1000 },
  ...{ messagesLimit: 5, fileStorageGB: 5, videoCallMinutes: 5, displayOrder: 9 },
  ...{ advancedEncryption: true, prioritySupport: true, customBranding: true, apiAccess: true },
  ...{ stripePriceIdMonthly: 'x'.repeat(255), stripePriceIdYearly: 'x'.repeat(255) },
}

/** An administrator at a server that has as many packages as it may have, or one less. */
const among =
  (most: number, input: object = {}): Request =>
  async (scene) => {
    const who = await administrator(scene)
    const kept = (await who.does(adminPackagesApi.list, {})).filter(({ archivedAt }) => archivedAt === null)
    for (const { id } of kept.slice(most)) await who.does(adminPackagesApi.remove, { id })
    for (let count = kept.length; count < most; count++) await who.does(adminPackagesApi.create, PACKAGE)
    return { who, input: { ...input } }
  }

/** An administrator with a package that nobody has bought. */
const packaging =
  (input: (id: string) => object): Request =>
  async (scene) => {
    const { who } = await among(PLAN_LIMITS.packagesMax - 1)(scene)
    const { id } = await who.does(adminPackagesApi.create, PACKAGE)
    return { who, input: { ...input(id) } }
  }

async function administrator(scene: Scene) {
  const who = await scene.newcomer()
  await scene.promote(who.id)
  await confirms(who)
  return who
}

/** Somebody new whose plan has a family circle. */
const master =
  (input: (who: Person) => Promise<object> = async () => ({})): Request =>
  async (scene) => {
    const who = await scene.newcomer()
    await scene.giveFamily(who.id)
    return { who, input: { ...(await input(who)) } }
  }

const invites = (who: Person) =>
  who.does(familyApi.invite, { inviteeEmail: 'some@body.example', inviteeUsername: 'x'.repeat(LIMITS.usernameMax) })

/** Somebody new with the link of an open invitation. */
const invited: Request = async (scene) => {
  const { who: owner } = await master()(scene)
  const { invitationToken } = await owner.does(familyApi.invite, { inviteeUsername: 'somebody' })
  return { who: await scene.newcomer(), input: { token: invitationToken } }
}

/** What of each call for family circles costs the server most, as in `DEAREST`. */
export const FAMILY: Record<string, Record<string, Request>> = {
  'GET /api/master/invitations': {
    'one of them': master(async (who) => {
      await invites(who)
      return {}
    }),
  },
  'GET /api/master/family': { 'nobody in it': master() },
  'POST /api/master/invite': {
    'the longest': master(async () => ({ inviteeEmail: 'some@body.example', inviteeUsername: 'x'.repeat(LIMITS.usernameMax) })),
  },
  'DELETE /api/master/invitations/:invitationId': {
    'an open one': master(async (who) => ({ invitationId: (await invites(who)).id })),
  },
  'POST /api/master/invitations/:invitationId/mail': {
    'where no mail is sent': master(async (who) => ({ invitationId: (await invites(who)).id })),
  },
  'DELETE /api/master/family/:memberId': { 'somebody who is not in it': master(async (who) => ({ memberId: who.id })) },
  'GET /api/invitations/:token': { 'an open one': invited },
  'POST /api/invitations/:token/accept': { 'an open one': invited },
  'POST /api/invitations/:token/decline': { 'an open one': invited },
  'GET /api/family': { none: async ({ alice }) => ({ who: alice, input: {} }) },
  'PUT /api/family': { 'a switch': async ({ alice }) => ({ who: alice, input: { showsOnline: true } }) },
  'POST /api/family/leave': { none: async ({ alice }) => ({ who: alice, input: {} }) },
}

/** What of each call of administrators costs the server most, as in `DEAREST`. */
export const ADMIN: Record<string, Record<string, Request>> = {
  'POST /api/account/step-up/options': { 'nothing in it': async ({ alice }) => ({ who: alice, input: {} }) },
  'POST /api/account/step-up': {
    'a right password': async ({ alice }) => ({ who: alice, input: { password: alice.authSecret, kdf: 1 } }),
  },
  'GET /api/admin/first': { 'all accounts': async ({ alice }) => ({ who: alice, input: {} }) },
  'GET /api/admin/users': {
    'a text that every name has': asking({ search: 'a' }),
    'those of a plan, by name': asking({ tier: 'free', sort: 'name' }),
  },
  'PUT /api/admin/users/:id/deactivate': { 'somebody new': acting() },
  'PUT /api/admin/users/:id/reactivate': { 'somebody new': acting() },
  'PUT /api/admin/users/:id/reset-usage': { 'somebody new': acting() },
  'PUT /api/admin/users/:id/make-admin': { 'somebody new': acting() },
  'PUT /api/admin/users/:id/remove-admin': { 'somebody new': acting() },
  'PUT /api/admin/users/:id/subscription': { 'somebody new': acting({ tier: 'enterprise' }) },
  'GET /api/admin/subscription-stats': { 'all accounts': asking() },
  'GET /api/admin/revenue-stats': { 'all accounts': asking() },
  'GET /api/admin/card-provider': { 'nothing in it': asking() },
  'GET /api/admin/packages': { 'all of them': among(PLAN_LIMITS.packagesMax) },
  'POST /api/admin/packages': { 'the longest': among(PLAN_LIMITS.packagesMax - 1, PACKAGE) },
  'PUT /api/admin/packages/:id': { 'a new one': packaging((id) => ({ ...PACKAGE, id, name: 'another' })) },
  'PUT /api/admin/packages/:id/toggle': { 'a new one': packaging((id) => ({ id, isActive: false })) },
  'DELETE /api/admin/packages/:id': { 'a new one': packaging((id) => ({ id })) },
  'GET /api/admin/analytics': { 'all accounts': asking() },
  'GET /api/admin/system': { 'nothing in it': asking() },
  'GET /api/admin/audit': { 'the longest page': asking({ limit: AUDIT.pageMax }) },
  'GET /api/admin/card-payments': { 'those of nobody': asking({ named: 'x'.repeat(255) }), 'the newest': asking() },
  'GET /api/admin/receipts': { 'the newest': asking() },
  'GET /api/admin/receipts/:number': { 'one that is nobody’s': asking({ number: 'x'.repeat(RECEIPT_LIMITS.numberMax) }) },
  'POST /api/admin/ledger': { 'all years': asking({ from: '2000-01-01', to: '2099-12-31' }) },
  'GET /api/admin/coin-wallets': { 'nothing in it': asking() },
  'GET /api/admin/coin-addresses': { 'the newest': asking(), 'those that received something': asking({ only: 'received' }) },
  'POST /api/admin/coin-addresses': { 'those that received something': asking({ only: 'received' }) },
  'GET /api/admin/coin-reviews': { 'a page': asking() },
  'POST /api/admin/coin-reviews/:reviewId': {
    'one that is of no payment': asking({ reviewId: randomUUID(), outcome: 'refunded', transactionHash: 'ab'.repeat(32) }),
  },
  'GET /api/admin/coin-payments': { 'the longest address': asking({ named: 'x'.repeat(100) }) },
  'POST /api/admin/coin-payments/:id/refund': {
    'one that is nobody’s': asking({ id: randomUUID(), transactionHash: 'ab'.repeat(32) }),
  },
  'POST /api/admin/audit/check': { 'the whole trail': asking() },
  'GET /api/admin/reports': { 'a page': asking() },
  'GET /api/account/administration': { 'nothing in it': async ({ alice }) => ({ who: alice, input: {} }) },
}
