import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { askTogether } from '../../ground/db/askTogether.ts'
import { rightsOf, tierOf } from '../../money/plans/plans.ts'
import * as store from './store.ts'

const TOUCH_SECONDS = 5 * 60
const KNOWN_MS = 10_000
const KNOWN_MAX = 50_000

/** Shares one query. Returns undefined for a session that is not live. */
export function gatherSessions(env: Pick<Env, 'db' | 'clock'>): Env['findSession'] {
  return askTogether(async (sessionHashes) => {
    const now = env.clock()
    const rows = await store.findLive(env.db, sessionHashes.map(fromHex), now)
    const idleSince = later(now, -TOUCH_SECONDS)
    await touchSessions(
      env,
      rows.filter(({ lastUsedAt }) => lastUsedAt <= idleSince),
    )
    return usersOf(rows, now)
  })
}

type Remembering = Pick<Env, 'clock' | 'findSession'>

/** Remembers sessions of devices for ten seconds. Only for calls whose statement checks the session again. */
export function rememberSessions(env: Remembering): { findKnown: Env['findSession']; findSender: Env['findSession'] } {
  const known = new Map<string, { user: SignedInUser; untilMs: number }>()

  function lastOf(sessionHash: string): SignedInUser | undefined {
    const last = known.get(sessionHash)
    return last && env.clock().getTime() < last.untilMs ? last.user : undefined
  }

  async function askAnew(sessionHash: string): Promise<SignedInUser | undefined> {
    known.delete(sessionHash)
    const untilMs = env.clock().getTime() + KNOWN_MS
    const user = await env.findSession(sessionHash)
    if (!user || user.deviceId === null) return user
    for (const oldest of known.keys()) {
      if (known.size < KNOWN_MAX) break
      known.delete(oldest)
    }
    known.set(sessionHash, { user, untilMs })
    return user
  }

  return {
    findKnown: async (sessionHash) => lastOf(sessionHash) ?? (await askAnew(sessionHash)),
    /** Who may not yet send is asked anew each time. */
    findSender: async (sessionHash) => {
      const user = lastOf(sessionHash)
      return user?.rights.send ? user : await askAnew(sessionHash)
    },
  }
}

/** Marks them as used, because sockets stay open for days. */
export async function liveSessions(env: Env, sessionHashes: string[]): Promise<Map<string, SignedInUser>> {
  const now = env.clock()
  const rows = await store.findLive(env.db, sessionHashes.map(fromHex), now)
  await touchSessions(env, rows)
  return usersOf(rows, now)
}

function usersOf(rows: Awaited<ReturnType<typeof store.findLive>>, now: Date): Map<string, SignedInUser> {
  const users = rows.map((row) => ({
    id: row.id,
    username: row.username,
    displayName: row.displayName,
    subscriptionTier: tierOf(row.plan?.tier ?? null),
    rights: rightsOf(row.plan),
    isAdmin: row.isAdmin,
    hasKeys: row.hasKeys,
    ...standingOf(row, now),
    namedDeviceId: row.namedDeviceId,
    confirmedAt: row.confirmedAt,
    sessionHash: row.tokenHash.toString('hex'),
  }))
  return new Map(users.map((user) => [user.sessionHash, user]))
}

function standingOf({ namedDeviceId, provenAt }: { namedDeviceId: string | null; provenAt: Date | null }, now: Date) {
  const isAwake = provenAt !== null && provenAt > store.awakeSince(now)
  return {
    deviceId: isAwake ? namedDeviceId : null,
    isAsleep: provenAt !== null && !isAwake,
    isProofDue: !isAwake || now.getTime() - provenAt.getTime() > (LIMITS.proofSeconds * 1000) / 2,
  }
}

async function touchSessions(env: Pick<Env, 'db' | 'clock'>, rows: { tokenHash: Buffer }[]): Promise<void> {
  if (rows.length === 0) return
  const now = env.clock()
  const tokenHashes = rows.map(({ tokenHash }) => tokenHash)
  const touched = await store.touch(env.db, tokenHashes, later(now, -TOUCH_SECONDS), now)
  const seen = touched.filter(({ deviceId }) => deviceId !== null)
  if (seen.length === 0) return
  const [userIds, deviceIds] = [seen.map(({ userId }) => userId), seen.map(({ deviceId }) => deviceId)]
  await store.touchDevices(env.db, userIds, deviceIds, now)
}

const fromHex = (hash: string): Buffer => Buffer.from(hash, 'hex')
const later = (time: Date, seconds: number): Date => new Date(time.getTime() + seconds * 1000)
