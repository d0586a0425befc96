import type { Frame } from '../../../contract/chat/content.ts'
import { concat, fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { HASH_BYTES, hashAt } from '../lists/hashes.ts'
import type { Fork, NamedList, RoomRecord } from '../vault/storedRoom.ts'
import { everyAccount, type MemberAccounts } from './members.ts'

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
  return sender?.manifest.removed.includes(deviceId) === false ? listsIn(statement) : []
}

/** A fork is a known version with another hash [Note: D2]. */
export const forksIn = (accounts: MemberAccounts, lists: NamedList[]): Fork[] =>
  lists.flatMap(({ userId, version, hash }) => {
    const account = everyAccount(accounts).find((one) => one.userId === userId)
    const known = account && hashAt(account, version)
    return known === undefined || known === hash ? [] : [{ userId, version, hash, known, isTold: false, isAnswered: false }]
  })

/**
 * Adds forks; keeps in `claimed` what is newer than known, to compare later. Pass lists of verified entries only. Returns the
 * same record if nothing is new.
 */
export function withLists(record: RoomRecord, accounts: MemberAccounts, lists: NamedList[]): RoomRecord {
  const told = withTold(record, lists)
  const { forks = [], claimed = [] } = told
  const named = [...claimed, ...lists].filter((list, at, all) => at === all.findIndex((one) => isSameList(one, list)))
  const fresh = forksIn(accounts, named).filter((fork) => !forks.some((one) => isSameList(one, fork)))
  const newer = named.filter(({ userId, version }) =>
    everyAccount(accounts).some((account) => account.userId === userId && version > account.version),
  )
  if (fresh.length === 0 && newer.length === claimed.length && newer.every((list, at) => list === claimed[at])) return told
  return { ...told, forks: [...forks, ...fresh].slice(-FORKS_MAX), claimed: newer.slice(-CLAIMED_MAX) }
}

/** Marks a fork as told once a later entry of the log names the list known here. */
export function withTold(record: RoomRecord, lists: NamedList[]): RoomRecord {
  const { forks = [] } = record
  const names = ({ known, ...fork }: Fork) => lists.some((list) => isSameList(list, { ...fork, hash: known }))
  if (!forks.some((fork) => !fork.isTold && names(fork))) return record
  return { ...record, forks: forks.map((fork) => (names(fork) ? { ...fork, isTold: true } : fork)) }
}

export const isSameList = (one: NamedList, other: NamedList): boolean =>
  one.userId === other.userId && one.version === other.version && one.hash === other.hash

/** Nothing may be sent in the room while there is one [Note: D2]. */
export const openForks = (record: Pick<RoomRecord, 'forks'> | undefined): Fork[] =>
  record?.forks?.filter(({ isAnswered }) => !isAnswered) ?? []

/** This device's next commit names these, to tell the members. */
export const untoldLists = (record: Pick<RoomRecord, 'forks'> | undefined): NamedList[] =>
  (record?.forks ?? []).flatMap(({ userId, version, known, isTold }) => (isTold ? [] : [{ userId, version, hash: known }]))
