import type { SealedBook, SignedBook } from '../../contract/account/devices.ts'
import type { Binding } from './binding.ts'
import type { Live } from './keys/live.ts'
import * as load from './lazyParts.ts'
import { deviceSeen, newDevices, ownStanding } from './lists/announce.ts'
import { readBook, seenVersion } from './lists/book.ts'
import { chatLocks, locksToFollow, type SeenPasswords } from './lists/chatlocks.ts'
import { compareAccounts, vanishedContacts } from './lists/compareAccounts.ts'
import { copiedAt, copyKnown } from './lists/copiedDevice.ts'
import { ownDevices } from './lists/devicenames.ts'
import { takeOwnManifest } from './lists/ownManifest.ts'
import { peerStanding } from './lists/peerStanding.ts'
import { manifestVersion, takePeerManifest } from './lists/peers.ts'
import { loadHpke } from './primitives/loadHpke.ts'

/** account, keys: what a way in opens, and the account’s address book. */
export const keyVerbs = ({ byWay, on, part }: Binding) => ({
  ...byWay('stretch', 'stretchNew', 'enterKit', 'enterPasskey', 'newKit', 'newPasskey'),
  ...byWay('draftAccount', 'reviewAccount', 'draftDevice', 'bookHolds', 'draftRecovery', 'draftChange'),
  ...byWay('dropChatLock', 'signOrder', 'draftOrderedChange', 'changeKept', 'proveDraft', 'keepKeys'),
  ...byWay('switchLockOn', 'switchLockOff', 'renewLock'),
  ...on({
    sealBook: async (live: Live) => (await load.merging()).sealBook(live),
    bookSaved: async (live: Live, stored: SignedBook) => (await load.merging()).bookSaved(live, stored),
    mergeBook: async (live: Live, stored: SealedBook) => (await load.merging()).mergeBook(live, stored),
  }),
  ...part(load.spoiled, 'replaceBook'),
  ...part(load.trust, 'trustKey', 'wantAddress', 'pinAddress'),
})

/** lists: the device lists of this account and of the people it knows, and what the book says of them. */
export const listVerbs = ({ on, onSealing, part }: Binding) => ({
  ...on({
    ownDevices,
    ownId: async ({ userId }: Live) => userId,
    ownStanding,
    newDevices,
    deviceSeen,
    copiedAt,
    copyKnown,
    manifestVersion,
    takePeerManifest,
    peerStanding,
    compareAccounts,
    vanishedContacts,
    isBookRead: async (live: Live) => (await readBook(live)).isRead,
    bookVersion: async (live: Live) => seenVersion(await readBook(live)),
  }),
  ...onSealing({ takeOwnManifest }),
  ...part(load.renaming, 'nameDevice'),
  ...part(load.hiding, 'readHideAddress', 'setHideAddress'),
  ...part(load.safety, 'safetyNumber', 'compareSafetyCode', 'setVerified'),
  ...part(load.codes, 'codeSecret', 'proveScan', 'isScanProven', 'pinScanned'),
})

/** chatlocks: the passwords of chats. */
export const chatLockVerbs = ({ on, part }: Binding) => ({
  ...on({
    chatLocks,
    /** Lets the rows of this browser follow the locks in the book. Returns the rooms that have changed. */
    followLocks: async (live: Live, seen: SeenPasswords = {}) => {
      const due = locksToFollow((await readBook(live)).book, await live.vault.locks(), seen)
      if (due.length === 0) return due
      const [rows] = await Promise.all([load.chatRows(), loadHpke()])
      return rows.followLocks(live, seen)
    },
  }),
  ...part(load.chatLock, 'newChatPassword', 'makeChatLock', 'holdChatLock', 'typeChatPassword', 'openChatLock', 'shutChatLock'),
  ...part(load.changeSeed, 'changeChatPassword', 'requireOwnChange', 'chatPasswordChanged'),
  ...part(load.resealRows, 'resealChat'),
  ...part(load.chatLock, 'takeChatLockOff', 'giveChatUp'),
  ...part(load.chatPages, 'pagesToRead', 'pagesOfBefore', 'takePage', 'writePage', 'isFullPage'),
})
