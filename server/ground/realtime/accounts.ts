import type { AccountChange } from '../../../contract/frames.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Seat } from './hub.ts'

export interface AccountHooks {
  /** The users of those sessions that are valid, by session hash. Marks these sessions as used. */
  liveSessions: (sessionHashes: string[]) => Promise<Map<string, SignedInUser>>
  /** The account's newest manifest, which shows a removed device its removal [Note: D3]. */
  newestManifest: (userId: string) => Promise<Signed | undefined>
}

export interface Accounts {
  /** Records the account's state when a socket opens. */
  note(seat: Seat, user: SignedInUser): void
  /**
   * Reads the accounts of open sockets again, for one user or all. Closes the sockets of ended sessions and sends the others what
   * has changed. `what` is sent even if the account looks the same.
   */
  recheck(userId?: string, what?: AccountChange): Promise<void>
}

/** Sockets per query: a result for ten thousand would block the process for a tenth of a second. */
const AT_ONCE = 500

/** Keeps open sockets up to date with their accounts, which this node, other processes, the command line or time may change. */
export function watchAccounts({ hub }: Pick<Env, 'hub'>, { liveSessions, newestManifest }: AccountHooks): Accounts {
  const lastSeen = new WeakMap<Seat, SignedInUser>()

  async function recheck(userId?: string, what?: AccountChange): Promise<void> {
    const seats = hub.seats(userId)
    for (let from = 0; from < seats.length; from += AT_ONCE) await look(seats.slice(from, from + AT_ONCE), what)
  }

  async function look(seats: Seat[], what: AccountChange | undefined): Promise<void> {
    const live = await liveSessions([...new Set(seats.map(({ sessionHash }) => sessionHash))])
    await closeEnded(
      seats.filter(({ sessionHash }) => !live.has(sessionHash)),
      what,
    )
    const news = new Map(what ? seats.map(({ userId }) => [userId, new Set([what])]) : [])
    for (const seat of seats) {
      const now = live.get(seat.sessionHash)
      if (!now) continue
      const changes = news.get(seat.userId) ?? new Set()
      for (const change of changesOf(lastSeen.get(seat) ?? now, now)) news.set(seat.userId, changes.add(change))
      lastSeen.set(seat, now)
    }
    for (const [id, changes] of news) for (const each of changes) hub.publish([id], { type: 'account', data: { what: each } })
  }

  async function closeEnded(seats: Seat[], what: AccountChange | undefined): Promise<void> {
    const manifests = new Map<string, Promise<Signed | undefined>>()
    for (const { userId, sessionHash } of seats) {
      const manifest = manifests.get(userId) ?? newestManifest(userId)
      manifests.set(userId, manifest)
      const newest = await manifest
      hub.closeSession(sessionHash, {
        ...(newest && { manifest: newest }),
        ...((what === 'ended' || what === 'block') && { reason: what }),
      })
    }
  }

  return { note: (seat, user) => void lastSeen.set(seat, user), recheck }
}

function changesOf(before: SignedInUser, now: SignedInUser): AccountChange[] {
  return [
    ...(planOf(before) === planOf(now) ? [] : (['plan'] as const)),
    ...(before.isAdmin === now.isAdmin ? [] : (['rights'] as const)),
    ...(before.displayName === now.displayName ? [] : (['name'] as const)),
  ]
}

const planOf = ({ subscriptionTier, rights }: SignedInUser): string => JSON.stringify([subscriptionTier, rights])
