import type { AccountChange } from '../../../contract/frames.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { isSure } from '../http/access.ts'
import type { Seat } from './hub.ts'

export interface AccountHooks {
  /** Users by session hash. Marks their sessions as used. */
  liveSessions: (sessionHashes: string[]) => Promise<Map<string, SignedInUser>>
  /** [Note: D3] */
  newestManifest: (userId: string) => Promise<Signed | undefined>
}

export interface Accounts {
  note(seat: Seat, user: SignedInUser): void
  /** Closes the sockets of ended and sleeping sessions and publishes changes, and `what` always. */
  recheck(userId?: string, what?: AccountChange): Promise<void>
}

/** A query for ten thousand sockets would block the process for 100 ms. */
const AT_ONCE = 500

/** Tells open sockets what changes in their accounts. */
export function watchAccounts({ hub }: Pick<Env, 'hub'>, { liveSessions, newestManifest }: AccountHooks): Accounts {
  const lastSeen = new WeakMap<Seat, SignedInUser>()

  async function recheck(userId?: string, what?: AccountChange): Promise<void> {
    const seats = [...hub.seats(userId), ...hub.waiting(userId)]
    for (let from = 0; from < seats.length; from += AT_ONCE) await look(seats.slice(from, from + AT_ONCE), what)
  }

  async function look(seats: Seat[], what: AccountChange | undefined): Promise<void> {
    const live = await liveSessions([...new Set(seats.map(({ sessionHash }) => sessionHash))])
    await closeEnded(
      seats.filter(({ sessionHash }) => !live.has(sessionHash)),
      what,
    )
    const news = new Map(what ? seats.filter(({ isWaiting }) => !isWaiting).map(({ userId }) => [userId, new Set([what])]) : [])
    for (const seat of seats) {
      const now = live.get(seat.sessionHash)
      if (!now || seat.isWaiting) continue
      if (!isSure(now)) {
        hub.closeUnproven(seat.sessionHash)
        continue
      }
      seat.deviceId = now.deviceId
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
