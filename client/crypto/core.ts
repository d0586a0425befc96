import { fromBase64, toBase64 } from '../../contract/bytes.ts'
import type { AccountKeys, SealedBook } from '../../contract/devices.ts'
import type { Message } from '../../contract/messages.ts'
import type { ArchiveKey, LogEntry, RoomGroup } from '../../contract/rooms.ts'
import type { Signed } from '../../contract/shapes.ts'
import { type Draft, draftAccount, draftDevice, keepDraft, openLive, type Review, reviewAccount } from './account.ts'
import { adoptPage, keepArchiveKeys, missingEpochs, reopenSealed } from './archive.ts'
import { auditCommit } from './audit.ts'
import { bookSaved, isPinned, mergeBook, sealBook } from './book.ts'
import { enterRoom } from './enter.ts'
import { exclusive } from './exclusive.ts'
import { CryptoFailure } from './failure.ts'
import { readManifest } from './identity.ts'
import { refillKeyPackages } from './keypackages.ts'
import type { Live } from './live.ts'
import { receiveLog } from './log.ts'
import {
  changeOutbox,
  dropFromOutbox,
  keepInOutbox,
  keepDraft as keepWords,
  outboxOf,
  readDraft,
  roomsWithOutbox,
  sealOutboxRow,
} from './outbox.ts'
import { stretchPassword } from './password.ts'
import { meetPeer, peerVersions } from './peers.ts'
import { commitRoom, createRoom, joinRoom, roomNeed } from './prepare.ts'
import { pageOf, roomRecord, type StoredMessage } from './room.ts'
import { erase } from './seal.ts'
import { trustKey } from './trust.ts'
import { destroyVault } from './vault.ts'
import { knownVaultOf } from './vaults.ts'

export type Core = ReturnType<typeof createCore>

type Rest<F> = F extends (live: Live, ...rest: infer R) => infer Result ? (...rest: R) => Result : never

/** The worker's memory and its verbs. In a browser it sits behind `crypto.ts`; tests use it as it is. */
export function createCore() {
  let passwordSeed: Uint8Array | undefined
  let review: Review | undefined
  let draft: Draft | undefined
  let live: Live | undefined

  const opened = (): Live => {
    if (!live) throw new CryptoFailure('closed', 'The keys of this browser are closed')
    return live
  }
  const seed = (): Uint8Array => {
    if (!passwordSeed) throw new CryptoFailure('password', 'Enter the password again')
    return passwordSeed
  }
  /** A verb on the open account. */
  const on = <F extends (live: Live, ...rest: never[]) => Promise<unknown>>(verb: F) =>
    (async (...rest: never[]) => verb(opened(), ...rest)) as Rest<F>
  /** The same, one at a time across tabs: it reads, changes and writes the book. */
  const onBook = <F extends (live: Live, ...rest: never[]) => Promise<unknown>>(verb: F) =>
    (async (...rest: never[]) => exclusive(`conclave/${opened().userId}/book`, () => verb(opened(), ...rest))) as Rest<F>

  return {
    /** Argon2id over the password [Note: P1]. The seed stays here until `forgetPassword`; only `authSecret` comes out. */
    async stretch(input: { username: string; password: string; salt: string }): Promise<{ authSecret: string }> {
      const stretched = await stretchPassword(input.username, input.password, fromBase64(input.salt))
      passwordSeed = stretched.passwordSeed
      return { authSecret: stretched.authSecret }
    },
    /** Erases the password's seed and everything that was opened with it. */
    async forgetPassword(): Promise<void> {
      erase(...[passwordSeed, review?.identitySeed].filter((secret) => secret !== undefined))
      passwordSeed = undefined
      review = undefined
      draft = undefined
    },
    /** The device of this username whose vault lies in this browser. */
    async deviceHere(username: string): Promise<string | null> {
      return (await knownVaultOf(username))?.deviceId ?? null
    },
    async draftAccount(input: { deviceName: string }): Promise<AccountKeys> {
      draft = await draftAccount(seed(), input.deviceName)
      return draft.keys
    },
    async reviewAccount(input: { keyring: Signed; manifest: Signed }) {
      const opened = await reviewAccount(seed(), input.keyring, input.manifest)
      review = opened.review
      return opened.devices
    },
    async draftDevice(input: { deviceName: string }): Promise<AccountKeys> {
      if (!review) throw new CryptoFailure('password', 'Enter the password again')
      draft = await draftDevice(review, input.deviceName)
      return draft.keys
    },
    /** The server accepted the draft: keep its keys and open them. */
    async keepDraft(input: { userId: string; username: string; unlockSecret: string }): Promise<void> {
      if (!draft) throw new CryptoFailure('password', 'Enter the password again')
      live?.vault.close()
      live = await keepDraft(draft, input, fromBase64(input.unlockSecret))
      await meetOwn(live, draft.keys.manifest)
    },
    async open(input: { userId: string; unlock: { deviceId: string; unlockSecret: string } }): Promise<void> {
      live?.vault.close()
      live = await openLive(input.userId, input.unlock)
    },
    async close(): Promise<void> {
      live?.vault.close()
      live = undefined
    },
    async destroy(userId: string): Promise<void> {
      live?.vault.close()
      live = undefined
      await destroyVault(userId)
    },
    /** Takes the account's own newest manifest; false: this device is no longer in it [Note: D3]. */
    async meetSelf(manifest: Signed): Promise<boolean> {
      await meetOwn(opened(), manifest)
      return readManifest(manifest, opened().identityKey).devices.some(({ id }) => id === opened().device.id)
    },
    meetPeer: onBook(meetPeer),
    peerVersions: on(peerVersions),
    isPinned: on((account, userId: string, identityKey: string | null) =>
      isPinned(account, userId, identityKey === null ? null : fromBase64(identityKey)),
    ),
    trustKey: onBook(trustKey),
    sealBook: onBook(sealBook),
    bookSaved: onBook(bookSaved),
    mergeBook: onBook((account, stored: SealedBook) => mergeBook(account, stored)),
    refillKeyPackages: on(refillKeyPackages),

    roomRecord: on(roomRecord),
    enterRoom: on((account, input: { chatRoomId: string; peerId: string; group: RoomGroup }) => enterRoom(account, input)),
    receiveLog: on((account, input: { chatRoomId: string; peerId: string; entries: LogEntry[] }) => receiveLog(account, input)),
    roomNeed: on(roomNeed),
    createRoom: on(createRoom),
    joinRoom: on(joinRoom),
    commitRoom: on(commitRoom),
    auditCommit: on(auditCommit),
    page: on(pageOf),
    missingEpochs: on((account, messages: Pick<Message, 'content'>[]) => missingEpochs(account, messages)),
    keepArchiveKeys: on((account, keys: ArchiveKey[]) => keepArchiveKeys(account, keys)),
    adoptPage: on(adoptPage),
    reopenSealed: on((account, input: { chatRoomId: string; peerId: string; messages: StoredMessage[] }) =>
      reopenSealed(account, input),
    ),

    outbox: on(outboxOf),
    roomsWithOutbox: on(roomsWithOutbox),
    keepInOutbox: on(keepInOutbox),
    changeOutbox: on(changeOutbox),
    dropFromOutbox: on(dropFromOutbox),
    sealOutboxRow: on(sealOutboxRow),
    readDraft: on(readDraft),
    keepDraftText: on(keepWords),
  }
}

async function meetOwn(live: Live, manifest: Signed): Promise<void> {
  await meetPeer(live, { userId: live.userId, identityKey: toBase64(live.identityKey), manifest })
}
