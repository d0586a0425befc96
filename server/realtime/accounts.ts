import type { AccountChange } from '../../contract/frames.ts'
import type { Signed } from '../../contract/shapes.ts'
import type { Env, SignedInUser } from '../env.ts'
import type { Seat } from './hub.ts'

export interface AccountHooks {
  /** Who holds each of these sessions, while it is good; those are marked as used. */
  liveSessions: (sessionHashes: string[]) => Promise<Map<string, SignedInUser>>
  /** The account's newest manifest: it tells a removed device that it is out [Note: D3]. */
  newestManifest: (userId: string) => Promise<Signed | undefined>
}

export interface Accounts {
  /** The account as it was when the socket opened. */
  note(seat: Seat, user: SignedInUser): void
  /**
   * Reads the accounts of open sockets again, of one user or of all. Closes the sockets of sessions that are over, and tells
   * the others what changed; `what` is told whether or not it shows.
   */
  recheck(userId?: string, what?: AccountChange): Promise<void>
}

/** Sockets that are read again by one query: the answer for ten thousand would stop everything else for a tenth of a second. */
const AT_ONCE = 500

/** Keeps open sockets true to their accounts, whoever changed them: another process, the command line, or time. */
export function watchAccounts({ hub }: Pick<Env, 'hub'>, { liveSessions, newestManifest }: AccountHooks): Accounts {
  const lastSeen = new WeakMap<Seat, SignedInUser>()

  async function recheck(userId?: string, what?: AccountChange): Promise<void> {
    const seats = hub.seats(userId)
    for (let from = 0; from < seats.length; from += AT_ONCE) await look(seats.slice(from, from + AT_ONCE), what)
  }

  async function look(seats: Seat[], what: AccountChange | undefined): Promise<void> {
    const live = await liveSessions([...new Set(seats.map(({ sessionHash }) => sessionHash))])
    await closeEnded(seats.filter(({ sessionHash }) => !live.has(sessionHash)))
    const news = new Map(what ? seats.map(({ userId }) => [userId, new Set([what])]) : [])
    for (const seat of seats) {
      const now = live.get(seat.sessionHash)
      if (!now) continue
      const told = news.get(seat.userId) ?? new Set()
      for (const change of changesOf(lastSeen.get(seat) ?? now, now)) news.set(seat.userId, told.add(change))
      lastSeen.set(seat, now)
    }
    for (const [id, changes] of news) for (const each of changes) hub.publish([id], { type: 'account', data: { what: each } })
  }

  async function closeEnded(seats: Seat[]): Promise<void> {
    const manifests = new Map<string, Promise<Signed | undefined>>()
    for (const { userId, sessionHash } of seats) {
      const manifest = manifests.get(userId) ?? newestManifest(userId)
      manifests.set(userId, manifest)
      hub.closeSession(sessionHash, await manifest)
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
