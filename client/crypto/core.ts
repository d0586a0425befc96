import { concat, fromBase64 } from '../../contract/bytes.ts'
import type { AccountKeys, KeyChange, SealedBook } from '../../contract/devices.ts'
import type { Message } from '../../contract/messages.ts'
import type { ArchiveKey } from '../../contract/rooms.ts'
import type { Signed } from '../../contract/shapes.ts'
import type { searchMessages } from '../index/search.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { loadPart } from '../primitives/part.ts'
import { erase } from '../primitives/seal.ts'
import { UPDATED_ELSEWHERE } from '../vault/database.ts'
import type { LockAfter } from '../vault/head.ts'
import { lockStanding, setLockAfter } from '../vault/lock.ts'
import { pageOf } from '../vault/messages.ts'
import { roomRecord } from '../vault/rooms.ts'
import { destroyVault } from '../vault/vault.ts'
import { knownVaultOf } from '../vault/vaults.ts'
import { draftAccount, draftDevice, eraseKeyDraft, type KeyDraft, keepKeys, type NewBrowser, openLive } from './account.ts'
import { deviceSeen, newDevices, ownStanding } from './announce.ts'
import { keepArchiveKeys, missingEpochs } from './archive.ts'
import { auditCommits, auditDone } from './audit.ts'
import { readBook, seenVersion } from './book.ts'
import { type ChangeDraft, draftChange, eraseChange, type KeyChangeRequest, keepChange } from './change.ts'
import { copiedAt, copyKnown } from './copied.ts'
import { nameDevice, ownDevices } from './devicenames.ts'
import { enterRoom } from './enter.ts'
import { answerForks } from './forks.ts'
import { putHealingOff, roomsToHeal } from './heal.ts'
import { refillKeyPackages } from './keypackages.ts'
import { eraseKeyring } from './keyring.ts'
import { compareAccounts, knowVanished, vanishedContacts } from './known.ts'
import type { Live } from './live.ts'
import { type LockEntry, lockSecretOf, renewLock, switchLockOff, switchLockOn } from './lock.ts'
import { receiveLog } from './log.ts'
import { bookSaved, mergeBook, replaceBook, sealBook } from './merge.ts'
import { adoptPage } from './older.ts'
import {
  changeOutbox,
  dropFromOutbox,
  keepDraftText,
  keepInOutbox,
  outboxOf,
  readDraft,
  roomsWithOutbox,
  sealOutboxRow,
} from './outbox.ts'
import { manifestVersion, peerStanding, takePeerManifest } from './peers.ts'
import { dropCommit } from './pending.ts'
import { commitRoom, createRoom, joinRoom, roomNeed } from './prepare.ts'
import { type Order, type OriginOf, proveSession, signOrder, signSession } from './proof.ts'
import { bookHolds, draftRecovery, type RecoveryDraft, type RecoveryRequest } from './recovery.ts'
import { restartRoom } from './restart.ts'
import { type ListedDevice, type Review, reviewAccount } from './review.ts'
import { compareSafetyCode, safetyNumber, setVerified } from './safety.ts'
import { takeOwnManifest } from './self.ts'
import { pinAddress, trustKey } from './trust.ts'
import { reopenWaiting } from './waiting.ts'
import { wantAddress } from './wanted.ts'
import { enteredWay, eraseEnteredWay, eraseWays, type HeldWays, wayVerbs } from './ways.ts'

export type Core = ReturnType<typeof createCore>

const loadSearch = () => loadPart(() => import('../index/search.ts'))

type Rest<F> = F extends (live: Live, ...rest: infer R) => infer Result ? (...rest: R) => Result : never

/** The worker's memory and its verbs. A browser calls them through `crypto.ts`; tests call them directly. */
export function createCore(originOf: OriginOf = () => location.origin) {
  const ways: HeldWays = {}
  let review: Review | undefined
  let drafting: Promise<KeyDraft> | undefined
  let draft: KeyDraft | undefined
  let change: ChangeDraft | undefined
  let live: Live | undefined

  const opened = (): Live => {
    if (!live) throw new CryptoFailure('closed', 'The keys of this browser are closed')
    return live
  }
  const reviewed = (): Review => {
    if (!review) throw new CryptoFailure('password', 'Enter the password again')
    return review
  }
  /** Erases what a way in has opened. */
  const closeKeyring = () => {
    if (review) eraseKeyring(review.opened)
    if (draft) eraseKeyDraft(draft)
    if (change) eraseChange(change)
    review = undefined
    drafting = undefined
    draft = undefined
    change = undefined
  }
  /** Wraps a verb so that it runs on the open account. */
  const on = <F extends (live: Live, ...rest: never[]) => Promise<unknown>>(verb: F) =>
    (async (...rest: never[]) => verb(opened(), ...rest)) as Rest<F>
  const shut = () => {
    live?.vault.close()
    live = undefined
  }

  return {
    ...wayVerbs(ways),
    /** Erases every seed of a way in, and everything that was opened with one. */
    async forgetPassword(): Promise<void> {
      eraseWays(ways)
      closeKeyring()
    },
    /** Erases the entered way and what it opened; a new kit or password stays for the next attempt. */
    async eraseEntered(): Promise<void> {
      eraseEnteredWay(ways)
      closeKeyring()
    },
    /** The device whose vault this browser stores for this username, or null. */
    async deviceHere(username: string): Promise<string | null> {
      return (await knownVaultOf(username))?.deviceId ?? null
    },
    async draftAccount(browser: NewBrowser): Promise<AccountKeys> {
      draft = await draftAccount(enteredWay(ways), browser)
      return draft.keys
    },
    /** Opens the account by the entered way. Throws CryptoFailure('way') if that way does not open it. */
    async reviewAccount(input: { keyring: Signed; manifest: Signed }): Promise<ListedDevice[]> {
      const { review: opened, devices } = await reviewAccount(enteredWay(ways), input, live)
      closeKeyring()
      review = opened
      return devices
    },
    async draftDevice(browser: NewBrowser): Promise<AccountKeys> {
      // A retry after a lost answer reuses the same device, because the server may have it already.
      drafting ??= draftDevice(reviewed(), browser)
      draft = await drafting
      return draft.keys
    },
    /** True if this book of the reviewed account can be sealed again by a recovery. */
    bookHolds: (input: Parameters<typeof bookHolds>[1]): Promise<boolean> => bookHolds(reviewed(), input),
    /** Builds a whole recovery by the kit that opened the account. `newKitSecret` is null without a new kit. */
    async draftRecovery(
      request: RecoveryRequest,
    ): Promise<RecoveryDraft['renewal'] & { keys: AccountKeys; newKitSecret: string | null }> {
      const drafted = await draftRecovery(reviewed(), ways, request)
      draft = drafted
      return { keys: drafted.keys, ...drafted.renewal, newKitSecret: ways.newKit?.kitSecret ?? null }
    },
    /** Builds the requested key change of the reviewed account. */
    async draftChange(request: KeyChangeRequest): Promise<KeyChange> {
      change = await draftChange(opened(), reviewed(), ways, request)
      review = undefined
      return change.change
    },
    /** Signs the person's request by the entered way [Note: D5]. The account must have been reviewed. */
    signOrder: async (order: Order): Promise<string> =>
      signOrder(reviewed().opened.secret.identitySeed, originOf(), opened().userId, order),
    /** Builds the change to a new password: the new keyring, and the signed order for the request that sends it. */
    async draftPasswordChange(order: Order): Promise<{ keys: KeyChange; order: string }> {
      const seed = concat(reviewed().opened.secret.identitySeed)
      try {
        change = await draftChange(opened(), reviewed(), ways, { password: 'new' })
        review = undefined
        const keys = change.change
        const fields = { ...order.fields, keys }
        return { keys, order: await signOrder(seed, originOf(), opened().userId, { ...order, fields }) }
      } finally {
        erase(seed)
      }
    },
    /** Stores the accepted change in the vault. */
    async changeKept(): Promise<void> {
      if (!change) throw new CryptoFailure('password', 'Enter the password again')
      await keepChange(opened(), change)
    },
    /** Signs the challenge of this session with the open vault's device [Note: D4]. */
    proveSession: on(async (account, challenge: string) => proveSession(account, originOf(), challenge)),
    /** Signs the challenge of the session that adds the drafted device. `userId` is from the server's answer to the sign-in. */
    async proveDraft({ userId, challenge }: { userId: string; challenge: string }): Promise<string> {
      if (!draft) throw new CryptoFailure('password', 'Enter the password again')
      return signSession(draft.device, originOf(), userId, challenge)
    },
    ownDevices: on(ownDevices),
    nameDevice: on(nameDevice),
    ownStanding: on(ownStanding),
    newDevices: on(newDevices),
    deviceSeen: on(deviceSeen),
    copiedAt: on(copiedAt),
    copyKnown: on(copyKnown),
    /** Stores the keys of the accepted draft and opens them. */
    async keepKeys(input: { userId: string; username: string; unlockSecret: string }): Promise<void> {
      if (!draft) throw new CryptoFailure('password', 'Enter the password again')
      shut()
      live = await keepKeys(draft, input, fromBase64(input.unlockSecret))
    },
    async open(input: { userId: string; username: string; unlock: { deviceId: string; unlockSecret: string } }): Promise<void> {
      shut()
      live = await openLive(input.userId, input.unlock, input.username, ways.locks)
    },
    /** Opens a locked vault. Throws CryptoFailure: 'lock_secret' if the entry is wrong, or what `open` throws. */
    async unlock(input: {
      userId: string
      username: string
      unlock: { deviceId: string; unlockSecret: string }
      entry: LockEntry
    }): Promise<void> {
      shut()
      const secret = await lockSecretOf(input.userId, input.entry)
      live = await openLive(input.userId, input.unlock, input.username, [secret])
      erase(secret.secret)
    },
    lockStanding: (userId: string) => lockStanding(userId),
    switchLockOn: on(({ userId }, input: Parameters<typeof switchLockOn>[2]) => switchLockOn(userId, ways, input)),
    switchLockOff: on(({ userId }, input: Parameters<typeof switchLockOff>[1]) => switchLockOff(userId, input)),
    setLockAfter: on(({ userId }, after: LockAfter) => setLockAfter(userId, after)),
    renewLock: on(({ userId }, unlockSecret: string) => renewLock(userId, ways, unlockSecret)),
    async close(): Promise<void> {
      shut()
    },
    /**
     * Never resolves; throws CryptoFailure('vault_newer') once a newer tab has taken the vault over and this page must be
     * reloaded.
     */
    untilUpdated: on(
      ({ vault }) =>
        new Promise<never>((_, reject) => {
          vault.onClosed((reason) => {
            if (reason === 'update') reject(new CryptoFailure('vault_newer', UPDATED_ELSEWHERE))
          })
        }),
    ),
    async destroy(userId: string): Promise<void> {
      shut()
      await destroyVault(userId)
    },
    takeOwnManifest: on(takeOwnManifest),
    takePeerManifest: on(takePeerManifest),
    peerStanding: on(peerStanding),
    manifestVersion: on(manifestVersion),
    compareAccounts: on(compareAccounts),
    vanishedContacts: on(vanishedContacts),
    knowVanished: on(knowVanished),
    trustKey: on(trustKey),
    wantAddress: on(wantAddress),
    pinAddress: on(pinAddress),
    safetyNumber: on(safetyNumber),
    compareSafetyCode: on(compareSafetyCode),
    setVerified: on(setVerified),
    sealBook: on(sealBook),
    bookSaved: on(bookSaved),
    mergeBook: on((account, stored: SealedBook) => mergeBook(account, stored)),
    replaceBook: on(replaceBook),
    isBookRead: on(async (account) => (await readBook(account)).isRead),
    bookVersion: on(async (account) => seenVersion(await readBook(account))),
    refillKeyPackages: on(refillKeyPackages),

    roomRecord: on(({ vault }, chatRoomId: string) => roomRecord(vault, chatRoomId)),
    enterRoom: on(enterRoom),
    receiveLog: on(receiveLog),
    answerForks: on(answerForks),
    restartRoom: on(restartRoom),
    roomsToHeal: on(roomsToHeal),
    putHealingOff: on(putHealingOff),
    roomNeed: on(roomNeed),
    createRoom: on(createRoom),
    joinRoom: on(joinRoom),
    commitRoom: on(commitRoom),
    dropCommit: on(dropCommit),
    auditCommits: on(auditCommits),
    auditDone: on(auditDone),
    page: on(({ vault }, input: Parameters<typeof pageOf>[1]) => pageOf(vault, input)),
    missingEpochs: on((account, messages: Pick<Message, 'content'>[]) => missingEpochs(account, messages)),
    keepArchiveKeys: on((account, keys: ArchiveKey[]) => keepArchiveKeys(account, keys)),
    adoptPage: on(adoptPage),
    reopenWaiting: on(reopenWaiting),
    indexRooms: on(async ({ vault }, input: { chatRoomIds: string[] }) => (await loadSearch()).indexRooms(vault, input)),
    search: on(async ({ vault }, input: Parameters<typeof searchMessages>[1]) =>
      (await loadSearch()).searchMessages(vault, input),
    ),

    outbox: on(outboxOf),
    roomsWithOutbox: on(roomsWithOutbox),
    keepInOutbox: on(keepInOutbox),
    changeOutbox: on(changeOutbox),
    dropFromOutbox: on(dropFromOutbox),
    sealOutboxRow: on(sealOutboxRow),
    readDraft: on(readDraft),
    keepDraftText: on(keepDraftText),
  }
}
