import type { Frame } from '../../../contract/chat/content.ts'
import { concat, fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { HASH_BYTES, hashAt } from '../lists/hashes.ts'
import type { Fork, NamedList, RoomRecord } from '../vault/storedRoom.ts'
import { everyAccount, type MemberAccounts } from './members.ts'
import { provable } from './namedLists.ts'

/** Bounds, because a member may name any number of lists. */
const FORKS_MAX = 20
const CLAIMED_MAX = 20

const NO_LIST = new Uint8Array(HASH_BYTES)

const byText = (one: string, other: string): number => (one < other ? -1 : 1)

/** 16 bytes a member by sorted user id, base64; zeros for an unknown list [Note: D2]. */
export const statedHashes = (accounts: MemberAccounts): string =>
  toBase64(
    concat(
      ...everyAccount(accounts)
        .sort((one, other) => byText(one.userId, other.userId))
        .map((account) => {
          const hash = hashAt(account, account.version)
          return hash === undefined ? NO_LIST : fromBase64(hash)
        }),
    ),
  )

/** Statements of older builds name none. */
export function listsIn({ manifests, hashes }: Pick<Frame, 'manifests' | 'hashes'>): NamedList[] {
  const userIds = Object.keys(manifests).sort(byText)
  const bytes = fromBase64(hashes ?? '')
  if (bytes.length !== userIds.length * HASH_BYTES) return []
  return userIds.map((userId, at) => ({
    userId,
    version: manifests[userId] ?? 0,
    hash: toBase64(bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  }))
}

/** Pass verified statements only. A removed device can claim anything, so it names none. */
export function listsNamedBy(
  accounts: MemberAccounts,
  senderId: string,
  { statement, deviceId }: { statement: Frame; deviceId: string },
): NamedList[] {
  const sender = everyAccount(accounts).find(({ userId }) => userId === senderId)
  return sender?.manifest.removed.includes(deviceId) === false
    ? listsIn(statement).map((list) => ({ ...list, by: senderId }))
    : []
}

/** A fork is a known version with another hash [Note: D2]. */
export const forksIn = (accounts: MemberAccounts, lists: NamedList[]): Fork[] =>
  lists.flatMap((list) => {
    const account = everyAccount(accounts).find(({ userId }) => userId === list.userId)
    const known = account && hashAt(account, list.version)
    const isProven = isProof(accounts, list)
    return known === undefined || known === list.hash ? [] : [{ ...list, known, isProven, isTold: false, isAnswered: false }]
  })

/** Anybody can name 16 bytes. */
const isProof = ({ own }: MemberAccounts, { userId, by, isSigned }: NamedList): boolean =>
  isSigned === true || (userId === own.userId && by === own.userId)

/**
 * Adds forks; keeps in `claimed` what is newer than known, to compare later. Pass lists of verified entries only. Returns the
 * same record if nothing is new.
 */
export function withLists(record: RoomRecord, accounts: MemberAccounts, lists: NamedList[]): RoomRecord {
  const told = withTold(record, accounts, lists)
  const { forks = [], claimed = [] } = told
  const named = onceEach([...claimed, ...lists])
  const found = forksIn(accounts, named)
  const proven = forks.map((fork) => (found.some((one) => one.isProven && isSameList(one, fork)) ? withProof(fork) : fork))
  const fresh = found.filter((fork) => !forks.some((one) => isSameList(one, fork) || repeats(fork, one)))
  const newer = named.filter(({ userId, version }) =>
    everyAccount(accounts).some((account) => account.userId === userId && version > account.version),
  )
  const isSame = (list: NamedList, at: number) => list === claimed[at]
  if (
    fresh.length === 0 &&
    proven.every((fork, at) => fork === forks[at]) &&
    newer.length === claimed.length &&
    newer.every(isSame)
  )
    return told
  return {
    ...told,
    forks: bounded([...proven, ...fresh.map((fork) => asTold(fork, forks))], FORKS_MAX, ({ isProven }) => isProven !== false),
    claimed: bounded(newer, CLAIMED_MAX, (list) => isProof(accounts, list)),
  }
}

function onceEach(lists: NamedList[]): NamedList[] {
  const kept: NamedList[] = []
  for (const list of lists) {
    const at = kept.findIndex((one) => isSameList(one, list))
    if (at < 0) kept.push(list)
    else if ((list.isSigned && !kept[at]?.isSigned) || (isOfItsAccount(list) && kept[at]?.by !== list.userId))
      kept[at] = { ...kept[at], ...list }
  }
  return kept
}

const isOfItsAccount = ({ userId, by }: NamedList): boolean => by === userId

/** The answer to a claim is none to its proof. */
const withProof = (fork: Fork): Fork => (fork.isProven === false ? { ...fork, isProven: true, isAnswered: false } : fork)

/** One browser may name other bytes with each message. */
const repeats = (fork: Fork, before: Fork): boolean =>
  fork.isProven === false &&
  before.isProven === false &&
  before.userId === fork.userId &&
  before.version === fork.version &&
  before.by === fork.by

const asTold = (fork: Fork, before: Fork[]): Fork => ({
  ...fork,
  isTold: before.some(({ userId, version, known, isTold }) => {
    return isTold && userId === fork.userId && version === fork.version && known === fork.known
  }),
})

function bounded<T>(all: T[], max: number, isKept: (one: T) => boolean): T[] {
  const kept = all.filter(isKept).slice(-max)
  const others = all.filter((one) => !isKept(one))
  const left = new Set([...kept, ...others.slice(Math.max(0, others.length - (max - kept.length)))])
  return all.filter((one) => left.has(one))
}

/** Marks a fork as told once a later entry shows the list known here. */
export function withTold(record: RoomRecord, accounts: MemberAccounts, lists: NamedList[]): RoomRecord {
  const { forks = [] } = record
  const names = ({ known, ...fork }: Fork) =>
    lists.some((list) => {
      const name = { ...fork, hash: known }
      return isSameList(list, name) && (list.isSigned === true || !provable(accounts, name))
    })
  if (!forks.some((fork) => !fork.isTold && names(fork))) return record
  return { ...record, forks: forks.map((fork) => (names(fork) ? { ...fork, isTold: true } : fork)) }
}

export const isSameList = (one: NamedList, other: NamedList): boolean =>
  one.userId === other.userId && one.version === other.version && one.hash === other.hash

export const unansweredForks = (record: Pick<RoomRecord, 'forks'> | undefined): Fork[] =>
  record?.forks?.filter(({ isAnswered }) => !isAnswered) ?? []

/** Nothing may be sent in the room while there is one [Note: D2]. */
export const openForks = (record: Pick<RoomRecord, 'forks'> | undefined): Fork[] =>
  unansweredForks(record).filter(({ isProven }) => isProven !== false)

/** This device's next commit names these, to tell the members. */
export const untoldLists = (record: Pick<RoomRecord, 'forks'> | undefined): NamedList[] =>
  (record?.forks ?? []).flatMap(({ userId, version, known, isTold }) => (isTold ? [] : [{ userId, version, hash: known }]))
