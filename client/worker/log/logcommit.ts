import type { CommitEntry } from '../../../contract/chat/rooms.ts'
import { fromBase64, sameBytes, toBase64 } from '../../../contract/ground/bytes.ts'
import { applyCommit, inspectCommit } from '../group/commits.ts'
import { withLists, withTold } from '../group/forks.ts'
import { ownPathOf, pathMade } from '../group/healGroup.ts'
import { accountKeysOf, everyAccount, listedIn, memberAccounts } from '../group/members.ts'
import { epochOf, type Group, groupIdOf, readGroup } from '../group/mls.ts'
import { type CommitNames, listsOf, namesIn, namesOf } from '../group/namedLists.ts'
import { isTaken, type PendingCommit, pendingCommit, pendingSettled } from '../group/pending.ts'
import { groupPlace, placeBehind, withNamed } from '../group/signers.ts'
import { readManifest } from '../keys/identity.ts'
import { takePeerManifest } from '../lists/peers.ts'
import { derivedKeyWrite } from '../messages/archive.ts'
import { archiveKeyOf } from '../messages/sealedMessage.ts'
import { withCommit } from '../messages/transcript.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { type CatchUp, leave, restartNotice } from './catchUp.ts'

/** The server's limit per request. */
const UNAUDITED_MAX = 100

/** Processes the log's next commit [Note: R3, R6]. */
export async function takeCommit(at: CatchUp, entry: CommitEntry): Promise<void> {
  const { live, chatRoomId, record } = at
  record.transcript = withCommit(record.transcript, entry.seq)
  if (entry.epoch === 0 && entry.generation > 1) at.messages.push(restartNotice(chatRoomId, entry.seq, entry.createdAt))
  const names = namesOf(entry)
  const pending = await pendingCommit(live, chatRoomId)
  const isOwn = pending !== undefined && isTaken(pending, entry, record.generation, at.group)
  if (pending && (isOwn || at.group)) at.writes.push(pendingSettled(chatRoomId))
  let by: string | undefined
  try {
    if (isOwn) takeOwn(at, pending, entry)
    else if (at.group) by = await takeForeign(at, at.group, entry)
    else await followOutside(at, names)
  } catch (error) {
    // [Note: R4]
    if (!(error instanceof CryptoFailure)) throw error
    if (error.code === 'own_message') at.isCopied = true
    await leave(at)
  }
  followLog(at, entry, names, by)
}

/** Returns true for this device's commit. */
export async function isOwnCommit({ live, chatRoomId, record, group }: CatchUp, entry: CommitEntry): Promise<boolean> {
  const pending = await pendingCommit(live, chatRoomId)
  return pending !== undefined && isTaken(pending, entry, record.generation, group)
}

function takeOwn(at: CatchUp, { group, draft, hasPath }: PendingCommit, { seq }: CommitEntry): void {
  moveTo(at, readGroup(group, accountKeysOf(at.accounts)), hasPath)
  // A creation has new keys without a path.
  Object.assign(at.record, pathMade(at.now, seq))
  at.record.generation = draft.generation
}

/** Returns the committer's account. */
async function takeForeign(at: CatchUp, group: Group, entry: CommitEntry): Promise<string | undefined> {
  const { record } = at
  const commit = fromBase64(entry.commit)
  await takeCarried(at, namesIn(inspectCommit(commit).authData))
  const accounts = accountKeysOf(at.accounts)
  const applied = await applyCommit({ group, commit, accounts, rules: { isListed: listedIn(at.accounts) } })
  if (applied.removedSelf) {
    // Only a holder of this device's leaf key commits under its name.
    if (applied.committer.deviceId === at.live.device.id) at.isCopied = true
    await leave(at)
    return undefined
  }
  record.ownPath = ownPathOf(record)
  moveTo(at, applied.group, applied.isExternal || applied.added.length === 0)
  const place = { groupId: toBase64(groupIdOf(applied.group)), epoch: epochOf(applied.group) }
  record.unaudited = [...record.unaudited, place].slice(-UNAUDITED_MAX)
  at.writes.push(derivedKeyWrite(at.chatRoomId, place, await archiveKeyOf(applied.group)))
  const { accountKey } = applied.committer
  return everyAccount(at.accounts).find(({ identityKey }) => sameBytes(identityKey, accountKey))?.userId
}

function moveTo(at: CatchUp, group: Group, hasPath: boolean): void {
  at.group = group
  Object.assign(at.record, {
    standing: 'joined',
    groupId: toBase64(groupIdOf(group)),
    epoch: epochOf(group),
    // A server's date could delay healing.
    lastCommitAt: new Date(at.now).toISOString(),
    isHealed: hasPath,
  } satisfies Partial<CatchUp['record']>)
}

/** Takes an older build's carried lists [Note: D2]. Throws CryptoFailure. */
async function takeCarried(at: CatchUp, names: CommitNames[]): Promise<void> {
  const { live, accounts } = at
  for (const { userId, signed } of names) {
    const known = everyAccount(accounts).find((account) => account.userId === userId)
    if (!known) throw new CryptoFailure('commit', 'A change of this chat carries the device list of a stranger')
    if (!signed || signed.content === known.signed.content) continue
    if (readManifest(signed, known.identityKey).version > known.version)
      await takePeerManifest(live, { userId, identityKey: toBase64(known.identityKey), manifest: signed })
  }
  at.accounts = await memberAccounts(
    live,
    accounts.others.map(({ userId }) => userId),
  )
}

/** Device lists need no group secret [Note: H3]. */
async function followOutside(at: CatchUp, names: CommitNames[]): Promise<void> {
  try {
    await takeCarried(at, names)
  } catch (error) {
    // Only members can check a commit.
    if (!(error instanceof CryptoFailure)) throw error
  }
}

function followLog(at: CatchUp, entry: CommitEntry, names: CommitNames[], by?: string): void {
  const { group } = at
  const named = withNamed(at.record, at.accounts, entry.seq, names)
  const lists = listsOf(at.accounts, names, by)
  // Outside the group a server could make up a commit, but no signed list.
  const proofs = lists.filter(({ isSigned }) => isSigned)
  at.record = withLists(group ? named : withTold(named, at.accounts, lists), at.accounts, group ? lists : proofs)
  at.record.log = group ? groupPlace(at.record.generation, group) : placeBehind(at.record.log, entry)
}
