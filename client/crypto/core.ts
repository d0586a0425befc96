import { fromBase64, toBase64 } from '../../contract/bytes.ts'
import type { AccountKeys, SealedBook } from '../../contract/devices.ts'
import type { Message } from '../../contract/messages.ts'
import type { ArchiveKey, LogEntry, RoomGroup } from '../../contract/rooms.ts'
import type { Signed } from '../../contract/shapes.ts'
import {
  type Draft,
  draftAccount,
  draftDevice,
  eraseDraft,
  eraseReview,
  keepDraft,
  openLive,
  type Review,
  reviewAccount,
} from './account.ts'
import { keepArchiveKeys, missingEpochs } from './archive.ts'
import { auditCommits, auditDone } from './audit.ts'
import { bookSaved, mergeBook, sealBook } from './book.ts'
import { enterRoom } from './enter.ts'
import { CryptoFailure } from './failure.ts'
import { refillKeyPackages } from './keypackages.ts'
import type { Live } from './live.ts'
import { receiveLog } from './log.ts'
import { adoptPage } from './older.ts'
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
import { meetPeer, peerOf, peerStanding } from './peers.ts'
import { commitRoom, createRoom, joinRoom, roomNeed } from './prepare.ts'
import { pageOf, roomRecord } from './room.ts'
import { erase } from './seal.ts'
import { pinAddress, trustKey } from './trust.ts'
import { destroyVault } from './vault.ts'
import { knownVaultOf } from './vaults.ts'
import { reopenWaiting } from './waiting.ts'

export type Core = ReturnType<typeof createCore>

type Rest<F> = F extends (live: Live, ...rest: infer R) => infer Result ? (...rest: R) => Result : never

/** The worker's memory and its verbs. In a browser it sits behind `crypto.ts`; tests use it as it is. */
export function createCore() {
  let passwordSeed: Uint8Array | undefined
  let review: Review | undefined
  let drafting: Promise<Draft> | undefined
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
  const shut = () => {
    live?.vault.close()
    live = undefined
  }

  return {
    /** Argon2id over the password [Note: P1]. The seed stays here until `forgetPassword`; only `authSecret` comes out. */
    async stretch(input: { username: string; password: string; salt: string }): Promise<{ authSecret: string }> {
      const stretched = await stretchPassword(input.username, input.password, fromBase64(input.salt))
      passwordSeed = stretched.passwordSeed
      return { authSecret: stretched.authSecret }
    },
    /** Erases the password's seed and everything that was opened with it. */
    async forgetPassword(): Promise<void> {
      if (passwordSeed) erase(passwordSeed)
      if (review) eraseReview(review)
      if (draft) eraseDraft(draft)
      passwordSeed = undefined
      review = undefined
      drafting = undefined
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
      drafting = undefined
      return opened.devices
    },
    async draftDevice(input: { deviceName: string }): Promise<AccountKeys> {
      if (!review) throw new CryptoFailure('password', 'Enter the password again')
      // Asked again after a lost answer, it is the same device: the server may have it already.
      drafting ??= draftDevice(review, input.deviceName)
      draft = await drafting
      return draft.keys
    },
    /** The server accepted the draft: keep its keys and open them. */
    async keepDraft(input: { userId: string; username: string; unlockSecret: string }): Promise<void> {
      if (!draft) throw new CryptoFailure('password', 'Enter the password again')
      shut()
      live = await keepDraft(draft, input, fromBase64(input.unlockSecret))
    },
    async open(input: { userId: string; unlock: { deviceId: string; unlockSecret: string } }): Promise<void> {
      shut()
      live = await openLive(input.userId, input.unlock)
    },
    async close(): Promise<void> {
      shut()
    },
    async destroy(userId: string): Promise<void> {
      shut()
      await destroyVault(userId)
    },
    /** Takes the account's own newest manifest; false: this device is no longer in it [Note: D3]. */
    async meetSelf(manifest: Signed): Promise<boolean> {
      const account = opened()
      await meetPeer(account, { userId: account.userId, identityKey: toBase64(account.identityKey), manifest })
      const known = await peerOf(account, account.userId)
      return known?.manifest.devices.some(({ id }) => id === account.device.id) ?? false
    },
    meetPeer: on(meetPeer),
    peerStanding: on(peerStanding),
    trustKey: on(trustKey),
    pinAddress: on(pinAddress),
    sealBook: on(sealBook),
    bookSaved: on(bookSaved),
    mergeBook: on((account, stored: SealedBook) => mergeBook(account, stored)),
    refillKeyPackages: on(refillKeyPackages),

    roomRecord: on(roomRecord),
    enterRoom: on((account, input: { chatRoomId: string; peerId: string; group: RoomGroup }) => enterRoom(account, input)),
    receiveLog: on((account, input: { chatRoomId: string; peerId: string; entries: LogEntry[] }) => receiveLog(account, input)),
    roomNeed: on(roomNeed),
    createRoom: on(createRoom),
    joinRoom: on(joinRoom),
    commitRoom: on(commitRoom),
    auditCommits: on(auditCommits),
    auditDone: on(auditDone),
    page: on(pageOf),
    missingEpochs: on((account, messages: Pick<Message, 'content'>[]) => missingEpochs(account, messages)),
    keepArchiveKeys: on((account, keys: ArchiveKey[]) => keepArchiveKeys(account, keys)),
    adoptPage: on(adoptPage),
    reopenWaiting: on(reopenWaiting),

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
