import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import * as store from './store.ts'

/** A node that nobody has seen for so long is dead. */
const LEASE_MS = 30_000
const FREED_AT_ONCE = 1000
/** Above it all contacts are looked up. */
const HERE_MAX = 500

export interface Presence {
  /** Writes that a user's first socket here has opened, or that the last one has closed, and tells their contacts. */
  moved(userId: string): Promise<void>
  /** Tells the contacts who are here of people whom another node has written. */
  tell(userIds: string[]): Promise<void>
  /** Notes that this node lives, makes up for what could not be written, and frees the people of nodes that have died. */
  beat(): Promise<void>
  /** Frees whoever is still here, and forgets this node. */
  stop(): Promise<void>
}

/**
 * Keeps who is online at this node. A person is online while any node has a socket of theirs. A node that dies without a word is found
 * dead by the others, or by the next one: so a start sets nobody offline whom another node has. `env.clock` of all nodes must agree
 * within seconds.
 */
export function keepPresence(env: Env): Presence {
  const waiting = new Set<string>()
  let last: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let renewedAtMs = Number.NEGATIVE_INFINITY

  // Writes run one after another and read the hub at their turn, so that an old state never overwrites a newer one. Changes that
  // arrive during a write are written together: after a start all users arrive at once.
  function write(): Promise<void> {
    next ??= last.then(() => {
      next = undefined
      const written = writeAll([...waiting])
      waiting.clear()
      last = written.catch(() => undefined)
      return written
    })
    return next
  }

  async function writeAll(userIds: string[]): Promise<void> {
    const here = userIds.map((userId) => env.hub.isHere(userId))
    try {
      await tellOf((who) => store.writePresence(env.db, env.node, userIds, here, { now: env.clock(), here: who }))
    } catch (error) {
      // The next beat tries again: otherwise somebody who has left would be online for as long as this node lives.
      for (const userId of userIds) waiting.add(userId)
      throw error
    }
  }

  /** Tells the contacts who are here of the people whom `read` answers, and returns these. */
  async function tellOf(read: (here: store.Here) => Promise<store.Shown[]>): Promise<store.Shown[]> {
    const here = env.hub.people(HERE_MAX)
    const shown = await read(here)
    publish(env, shown)
    if (!here || shown.length === 0) return shown
    // People who came meanwhile may have read their list before the commit.
    const known = new Set(here)
    const late = env.hub.people()?.filter((id) => !known.has(id)) ?? []
    const ids = shown.map(({ userId }) => userId)
    if (late.length > 0) publish(env, await store.readPresence(env.db, ids, late.length > HERE_MAX ? undefined : late))
    return shown
  }

  async function free(node: store.Node): Promise<void> {
    for (;;) {
      const freed = await tellOf((here) => store.freeNode(env.db, env.node, node, { atMost: FREED_AT_ONCE, here }))
      if (freed.length === 0) return await store.deleteNode(env.db, node)
    }
  }

  return {
    moved(userId) {
      waiting.add(userId)
      return write()
    },
    async tell(userIds) {
      await tellOf((here) => store.readPresence(env.db, userIds, here))
    },
    async beat() {
      const now = env.clock()
      // The others have taken this node for dead, and freed its people.
      const isLate = now.getTime() - renewedAtMs > LEASE_MS
      if (isLate) for (const { userId } of env.hub.seats()) waiting.add(userId)
      await store.renewNode(env.db, env.node, now)
      renewedAtMs = now.getTime()
      if (waiting.size > 0) await write()
      for (const node of await store.findDead(env.db, new Date(now.getTime() - LEASE_MS))) await free(node)
    },
    async stop() {
      await last
      await free({ id: env.node, seenAt: env.clock() })
    },
  }
}

/** Tells the contacts who are here what they may see of these people. Who sees only when somebody was last seen learns of no arrival. */
function publish(env: Env, people: store.Shown[]): void {
  for (const { userId, isOnline, lastSeen, seesOnline, seesLast } of people) {
    const tell = (to: string[], seenAt: Date | null) =>
      env.hub.publish(to, { type: 'presence', data: { userId, isOnline, lastSeen: seenAt?.toISOString() ?? null } })
    if (isOnline) tell(seesOnline, null)
    else {
      const shown = new Set(seesLast)
      tell(seesLast, lastSeen)
      tell(
        seesOnline.filter((id) => !shown.has(id)),
        null,
      )
    }
  }
}

/**
 * Lets a person seem to leave for somebody who may not see them any more, if that one has seen them online; nothing where they are away.
 * Call it after the change is committed.
 */
export async function seemAway(env: Env, userId: string, viewerId: string): Promise<void> {
  const seen = await store.readPair(env.db, userId, viewerId)
  if (!seen?.isOnline || !(seen.showsOnline || seen.showsLast)) return
  const lastSeen = seen.showsLast ? env.clock().toISOString() : null
  env.hub.publish([viewerId], { type: 'presence', data: { userId, isOnline: false, lastSeen } })
}

/** The opposite: somebody who may see the person again sees them come, if they are online. */
export async function seemBack(env: Env, userId: string, viewerId: string): Promise<void> {
  const seen = await store.readPair(env.db, userId, viewerId)
  if (seen?.isOnline && seen.showsOnline)
    env.hub.publish([viewerId], { type: 'presence', data: { userId, isOnline: true, lastSeen: null } })
}

/** Deletes inside the caller's transaction what is known of an account that is deleted. The caller has locked its row. */
export const forgetPresence = (tx: Queryable, userId: string): Promise<void> => store.deletePresence(tx, userId)

const MOVED_AT_ONCE = 1000

/** Notes for who stays online over midnight that they are here today. A piece of a job. */
export const moveDays = async ({ db, clock }: Env): Promise<boolean> =>
  (await store.moveDays(db, clock(), MOVED_AT_ONCE)) === MOVED_AT_ONCE
