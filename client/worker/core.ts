import type { SealedBook } from '../../contract/account/devices.ts'
import type { Message } from '../../contract/chat/messages.ts'
import type { ArchiveKey } from '../../contract/chat/rooms.ts'
import type { Bytes } from '../../contract/ground/bytes.ts'
import type { AccountVerbs } from './account/accountkeys.ts'
import { bookSaved, mergeBook, sealBook } from './account/mergeBook.ts'
import { openLive } from './account/openAccount.ts'
import type { LockedMemory } from './account/unlock.ts'
import type { ToOpen } from './files/openFile.ts'
import { UPLOADS } from './files/uploadrows.ts'
import { putHealingOff, roomsToHeal } from './group/healGroup.ts'
import { refillKeyPackages } from './group/keypackages.ts'
import { dropCommit } from './group/pending.ts'
import type { Live } from './keys/live.ts'
import { type OriginOf, proveSession } from './keys/proof.ts'
import type { HeldWays } from './keys/ways.ts'
import * as load from './lazyParts.ts'
import { deviceSeen, newDevices, ownStanding } from './lists/announce.ts'
import { readBook, seenVersion } from './lists/book.ts'
import { chatLocks, locksToFollow } from './lists/chatlocks.ts'
import { compareAccounts, knowVanished, vanishedContacts } from './lists/compareAccounts.ts'
import { copiedAt, copyKnown } from './lists/copiedDevice.ts'
import { ownDevices } from './lists/devicenames.ts'
import { takeOwnManifest } from './lists/ownManifest.ts'
import { peerStanding } from './lists/peerStanding.ts'
import { manifestVersion, takePeerManifest } from './lists/peers.ts'
import { enterRoom } from './log/enterRoom.ts'
import { commitRoom, createRoom, joinRoom, roomNeed } from './log/prepareRoom.ts'
import { receiveLog } from './log/receiveLog.ts'
import { keepAndSeal, sealOutboxRow } from './log/sealing.ts'
import { reopenWaiting } from './log/unopenedMessages.ts'
import { explained } from './log/withheldPlace.ts'
import { keepArchiveKeys, missingEpochs } from './messages/archive.ts'
import {
  changeOutbox,
  drafts,
  dropFromOutbox,
  keepDraftText,
  keepInOutbox,
  outboxOf,
  readDraft,
  roomsWithOutbox,
} from './messages/outbox.ts'
import { CryptoFailure } from './primitives/failure.ts'
import { loadPart } from './primitives/loadPart.ts'
import type { searchMessages } from './searchindex/search.ts'
import { UPDATED_ELSEWHERE } from './vault/database.ts'
import { pageOf } from './vault/storedMessage.ts'
import { roomRecord } from './vault/storedRoom.ts'
import { destroyVault } from './vault/vault.ts'
import type { LockAfter } from './vault/vaultHead.ts'
import { lockStanding, offlineWays } from './vault/vaultLock.ts'
import { knownVaultOf } from './vault/vaults.ts'

export type Core = ReturnType<typeof createCore>

type Unlocking = Awaited<ReturnType<typeof load.unlocking>>
type Offline = Awaited<ReturnType<typeof load.offline>>
type Rest<F> = F extends (live: Live, ...rest: infer R) => infer Result ? (...rest: R) => Result : never

/** The worker's memory and its verbs. A browser calls them through `crypto.ts`; tests call them directly. */
export function createCore(originOf: OriginOf = () => location.origin) {
  const memory: LockedMemory & { ways: HeldWays } = { ways: {}, live: undefined }
  const opened = (): Live => {
    if (!memory.live) throw new CryptoFailure('closed', 'The keys of this browser are closed')
    return memory.live
  }
  /** Wraps a verb so that it runs on the open account. */
  const on = <F extends (live: Live, ...rest: never[]) => Promise<unknown>>(verb: F) =>
    (async (...rest: never[]) => verb(opened(), ...rest)) as Rest<F>
  const shut = () => {
    memory.live?.vault.close()
    memory.live = undefined
  }
  /** The same for a verb of a part that is loaded when it is first called. */
  const part = <Part extends object, V extends keyof Part>(loaded: () => Promise<Part>, verb: V) =>
    on(async (live, ...rest: never[]) => {
      const verbs = (await loaded()) as Record<V, (live: Live, ...rest: never[]) => Promise<unknown>>
      return verbs[verb](live, ...rest)
    }) as unknown as Rest<Part[V]>
  let accountKeys: Promise<AccountVerbs> | undefined
  const loadAccountKeys = () => {
    accountKeys ??= loadPart(() => import('./account/accountkeys.ts')).then(
      (part) => part.accountVerbs(memory, originOf, shut),
      (error: unknown) => {
        accountKeys = undefined
        throw error
      },
    )
    return accountKeys
  }
  /** A verb that needs a way in. */
  const byWay = <V extends keyof AccountVerbs>(verb: V) =>
    (async (...input: never[]) => {
      const verbs: Record<string, (...input: never[]) => Promise<unknown>> = await loadAccountKeys()
      return verbs[verb]?.(...input)
    }) as unknown as AccountVerbs[V]

  return {
    stretch: byWay('stretch'),
    stretchNew: byWay('stretchNew'),
    enterKit: byWay('enterKit'),
    enterPasskey: byWay('enterPasskey'),
    newKit: byWay('newKit'),
    newPasskey: byWay('newPasskey'),
    draftAccount: byWay('draftAccount'),
    reviewAccount: byWay('reviewAccount'),
    draftDevice: byWay('draftDevice'),
    bookHolds: byWay('bookHolds'),
    draftRecovery: byWay('draftRecovery'),
    draftChange: byWay('draftChange'),
    signOrder: byWay('signOrder'),
    draftOrderedChange: byWay('draftOrderedChange'),
    changeKept: byWay('changeKept'),
    proveDraft: byWay('proveDraft'),
    keepKeys: byWay('keepKeys'),
    /** Erases every seed of a way in, and everything that was opened with one. */
    async forgetPassword(): Promise<void> {
      await (await accountKeys)?.forgetPassword()
    },
    /** Erases the entered way and what it opened; a new kit or password stays for the next attempt. */
    async eraseEntered(): Promise<void> {
      await (await accountKeys)?.eraseEntered()
    },
    /** The device whose vault this browser stores for this username or user id, or null. */
    async deviceHere(who: string): Promise<string | null> {
      return (await knownVaultOf(who))?.deviceId ?? null
    },
    /** Signs the challenge of this session with the open vault's device [Note: D4]. */
    proveSession: on(async (account, challenge: string) => proveSession(account, originOf(), challenge)),
    ownDevices: on(ownDevices),
    nameDevice: part(load.renaming, 'nameDevice'),
    ownStanding: on(ownStanding),
    newDevices: on(newDevices),
    deviceSeen: on(deviceSeen),
    copiedAt: on(copiedAt),
    copyKnown: on(copyKnown),
    async open(input: { userId: string; username: string; unlock: { deviceId: string; unlockSecret: string } }): Promise<void> {
      shut()
      memory.live = await openLive(input.userId, input.unlock, input.username, memory.ways.locks)
    },
    async unlock(input: Parameters<Unlocking['unlock']>[1]): Promise<void> {
      shut()
      await (await load.unlocking()).unlock(memory, input)
    },
    async awaitUnlock(input: Parameters<Unlocking['awaitUnlock']>[1]): Promise<boolean> {
      // The person types meanwhile. Where this fails, opening says so.
      void load.offline().catch(() => undefined)
      return (await load.unlocking()).awaitUnlock(memory, input)
    },
    lockStanding: (userId: string) => lockStanding(userId),
    switchLockOn: byWay('switchLockOn'),
    switchLockOff: byWay('switchLockOff'),
    setLockAfter: on(async ({ userId }, after: LockAfter) => (await load.relock()).setLockAfter(userId, after)),
    renewLock: byWay('renewLock'),
    offlineWays: (userId: string) => offlineWays(userId),
    switchOfflineOn: on(async (live, unlockSecret: string) =>
      (await load.offline()).switchOfflineOn(live, memory.ways, unlockSecret),
    ),
    renewOffline: on(async (live, unlockSecret: string) => (await load.offline()).renewOffline(live, memory.ways, unlockSecret)),
    switchOfflineOff: part(load.offline, 'switchOfflineOff'),
    async unlockOffline(input: Parameters<Offline['unlockOffline']>[1]): Promise<void> {
      shut()
      await (await load.offline()).unlockOffline(memory, input)
    },
    keepShown: part(load.offline, 'keepShown'),
    readShown: part(load.offline, 'readShown'),
    async close(): Promise<void> {
      memory.stopWaiting?.()
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
      memory.stopWaiting?.()
      shut()
      await destroyVault(userId)
    },
    takeOwnManifest: on(takeOwnManifest),
    takePeerManifest: on(takePeerManifest),
    peerStanding: on(peerStanding),
    manifestVersion: on(manifestVersion),
    ownId: on(async ({ userId }) => userId),
    compareAccounts: on(compareAccounts),
    vanishedContacts: on(vanishedContacts),
    knowVanished: on(knowVanished),
    trustKey: part(load.trust, 'trustKey'),
    wantAddress: part(load.trust, 'wantAddress'),
    pinAddress: part(load.trust, 'pinAddress'),
    safetyNumber: part(load.safety, 'safetyNumber'),
    compareSafetyCode: part(load.safety, 'compareSafetyCode'),
    setVerified: part(load.safety, 'setVerified'),
    codeSecret: part(load.codes, 'codeSecret'),
    proveScan: part(load.codes, 'proveScan'),
    isScanProven: part(load.codes, 'isScanProven'),
    pinScanned: part(load.codes, 'pinScanned'),
    nameContact: part(load.contacts, 'nameContact'),
    noteBlock: part(load.contacts, 'noteBlock'),
    clearRoom: part(load.contacts, 'clearRoom'),
    applyClears: part(load.contacts, 'applyClears'),
    sealBook: on(sealBook),
    bookSaved: on(bookSaved),
    mergeBook: on((account, stored: SealedBook) => mergeBook(account, stored)),
    replaceBook: part(load.spoiled, 'replaceBook'),
    isBookRead: on(async (account) => (await readBook(account)).isRead),
    bookVersion: on(async (account) => seenVersion(await readBook(account))),
    refillKeyPackages: on(refillKeyPackages),
    chatLocks: on(chatLocks),
    /** Lets the rows of this browser follow the locks in the book. Returns the rooms that have changed. */
    followLocks: on(async (live) => {
      const due = locksToFollow((await readBook(live)).book, await live.vault.locks())
      return due.length > 0 ? (await load.chatRows()).followLocks(live) : due
    }),
    newChatPassword: part(load.chatLock, 'newChatPassword'),
    makeChatLock: part(load.chatLock, 'makeChatLock'),
    holdChatLock: part(load.chatLock, 'holdChatLock'),
    typeChatPassword: part(load.chatLock, 'typeChatPassword'),
    openChatLock: part(load.chatLock, 'openChatLock'),
    shutChatLock: part(load.chatLock, 'shutChatLock'),
    changeChatPassword: part(load.chatLock, 'changeChatPassword'),
    chatPasswordChanged: part(load.chatLock, 'chatPasswordChanged'),
    takeChatLockOff: part(load.chatLock, 'takeChatLockOff'),
    giveChatUp: part(load.chatLock, 'giveChatUp'),
    pagesToRead: part(load.chatPages, 'pagesToRead'),
    takePage: part(load.chatPages, 'takePage'),
    writePage: part(load.chatPages, 'writePage'),
    isFullPage: part(load.chatPages, 'isFullPage'),
    /** The record of a room; undefined if it is new here, or locked. */
    roomRecord: on(async ({ vault }, chatRoomId: string) =>
      (await vault.isOpen(chatRoomId)) ? roomRecord(vault, chatRoomId) : undefined,
    ),
    enterRoom: on(enterRoom),
    receiveLog: on(receiveLog),
    answerForks: part(load.answer, 'answerForks'),
    restartRoom: part(load.restart, 'restartRoom'),
    roomsToHeal: on(roomsToHeal),
    putHealingOff: on(putHealingOff),
    roomNeed: on(roomNeed),
    createRoom: on(createRoom),
    joinRoom: on(joinRoom),
    commitRoom: on(commitRoom),
    dropCommit: on(dropCommit),
    auditCommits: part(load.audit, 'auditCommits'),
    auditDone: part(load.audit, 'auditDone'),
    page: on(async (live, input: Parameters<typeof pageOf>[1]) => {
      const page = await pageOf(live.vault, input)
      return { ...page, messages: await explained(live, page.messages) }
    }),
    missingEpochs: on((account, messages: Pick<Message, 'content'>[]) => missingEpochs(account, messages)),
    keepArchiveKeys: on((account, keys: ArchiveKey[], chatRoomId?: string) => keepArchiveKeys(account, keys, chatRoomId)),
    adoptPage: part(load.older, 'adoptPage'),
    reopenWaiting: on(reopenWaiting),
    indexRooms: on(async ({ vault }, input: { chatRoomIds: string[] }) => (await load.search()).indexRooms(vault, input)),
    search: on(async ({ vault }, input: Parameters<typeof searchMessages>[1]) =>
      (await load.search()).searchMessages(vault, input),
    ),
    outbox: on(outboxOf),
    roomsWithOutbox: on(roomsWithOutbox),
    keepInOutbox: on(keepInOutbox),
    changeOutbox: on(changeOutbox),
    dropFromOutbox: on(dropFromOutbox),
    keepAndSeal: on(keepAndSeal),
    sealOutboxRow: on(sealOutboxRow),
    uploads: on(async (live) =>
      (await live.vault.keys('sealed', UPLOADS)).length > 0 ? (await load.files()).uploads(live) : [],
    ),
    sealAhead: part(load.files, 'sealAhead'),
    dropAhead: part(load.files, 'dropAhead'),
    keepUpload: part(load.files, 'keepUpload'),
    sealedStep: part(load.files, 'sealedStep'),
    changeUpload: part(load.files, 'changeUpload'),
    uploadBytes: part(load.files, 'uploadBytes'),
    uploadDone: part(load.files, 'uploadDone'),
    takeBackUpload: part(load.files, 'takeBackUpload'),
    openFile: on(async (live, file: ToOpen) => (await load.opening()).openFile(live, file, () => memory.live === live)),
    /** What `arriving.ts` says; also while the account is closed, so that nothing waits for ever. */
    handIn: async (arrival: string, piece?: Bytes) => (await load.opening()).handIn(arrival, piece),
    keptFiles: part(load.files, 'keptFiles'),
    dropKept: part(load.files, 'dropKept'),
    readDraft: on(readDraft),
    drafts: on(drafts),
    keepDraftText: on(keepDraftText),
  }
}
