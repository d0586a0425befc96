import type { AccountKeys, KeyChange } from '../../../contract/account/devices.ts'
import { concat, fromBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { eraseKeyring } from '../keys/keyring.ts'
import type { Live } from '../keys/live.ts'
import { type Order, type OriginOf, signOrder, signSession } from '../keys/proof.ts'
import { enteredWay, eraseEnteredWay, eraseWays, type HeldWays, wayVerbs } from '../keys/ways.ts'
import type { ListedDevice } from '../lists/listedDevices.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { loadPart } from '../primitives/loadPart.ts'
import { erase } from '../primitives/seal.ts'
import { type ChangeDraft, draftChange, eraseChange, type KeyChangeRequest, keepChange } from './changeKeys.ts'
import { draftAccount, draftDevice, eraseKeyDraft, type KeyDraft, keepKeys, type NewBrowser } from './draftKeys.ts'
import { bookHolds, draftRecovery, type RecoveryDraft, type RecoveryRequest } from './recovery.ts'
import { type Review, reviewAccount } from './reviewAccount.ts'
import { renewLock, switchLockOff, switchLockOn } from './switchLock.ts'

// Most pages open no keyring, so this module is loaded late.

export type AccountVerbs = ReturnType<typeof accountVerbs>

interface Memory {
  ways: HeldWays
  live: Live | undefined
}

/** Throws 'too_many_devices' [Note: D1]. */
function requireRoom(review: Review): Review {
  const { devices, removed } = review.manifest
  if (devices.length + removed.length < LIMITS.devicesEverMax) return review
  throw new CryptoFailure('too_many_devices', 'Your account has had too many browsers to take another one')
}

/** Returns the verbs that need a way in [Note: K1]. */
export function accountVerbs(memory: Memory, originOf: OriginOf, shut: () => void) {
  const { ways } = memory
  let review: Review | undefined
  let drafting: Promise<KeyDraft> | undefined
  let draft: KeyDraft | undefined
  let change: ChangeDraft | undefined

  const opened = (): Live => {
    if (!memory.live) throw new CryptoFailure('closed', 'The keys of this browser are closed')
    return memory.live
  }
  const reviewed = (): Review => {
    if (!review) throw new CryptoFailure('password', 'Enter the password again')
    return review
  }
  const closeKeyring = () => {
    if (review) eraseKeyring(review.opened)
    if (draft) eraseKeyDraft(draft)
    if (change) eraseChange(change)
    review = undefined
    drafting = undefined
    draft = undefined
    change = undefined
  }

  return {
    ...wayVerbs(ways),
    /** Erases every seed of a way in. */
    async forgetPassword(): Promise<void> {
      eraseWays(ways)
      closeKeyring()
    },
    /** A new kit or password stays for the next attempt. */
    async eraseEntered(): Promise<void> {
      eraseEnteredWay(ways)
      closeKeyring()
    },
    async draftAccount(browser: NewBrowser): Promise<AccountKeys> {
      draft = await draftAccount(enteredWay(ways), browser)
      return draft.keys
    },
    /** Throws 'way' if the entered way opens nothing. */
    async reviewAccount(input: { keyring: Signed; manifest: Signed }): Promise<ListedDevice[]> {
      const { review: opened, devices } = await reviewAccount(enteredWay(ways), input, memory.live)
      closeKeyring()
      review = opened
      return devices
    },
    async draftDevice(browser: NewBrowser): Promise<AccountKeys> {
      // Drafted once: the server may have this device already.
      drafting ??= draftDevice(requireRoom(reviewed()), browser)
      draft = await drafting
      return draft.keys
    },
    /** True if a recovery can seal this book again. */
    bookHolds: (input: Parameters<typeof bookHolds>[1]): Promise<boolean> => bookHolds(reviewed(), input),
    /** `newKitSecret` is null without a new kit. */
    async draftRecovery(
      request: RecoveryRequest,
    ): Promise<RecoveryDraft['renewal'] & { keys: AccountKeys; newKitSecret: string | null }> {
      const drafted = await draftRecovery(reviewed(), ways, request)
      draft = drafted
      return { keys: drafted.keys, ...drafted.renewal, newKitSecret: ways.newKit?.kitSecret ?? null }
    },
    async draftChange(request: KeyChangeRequest): Promise<KeyChange> {
      change = await draftChange(opened(), reviewed(), ways, request)
      review = undefined
      return change.change
    },
    /** [Note: L1] */
    async dropChatLock(input: { chatRoomId: string }): Promise<void> {
      reviewed()
      const { dropClaim } = await loadPart(() => import('../chatlocks/chatlock.ts'))
      await dropClaim(opened(), input)
    },
    /** [Note: D5] The account must have been reviewed. */
    signOrder: async (order: Order): Promise<string> =>
      signOrder(reviewed().opened.secret.identitySeed, originOf(), opened().userId, order),
    /** [Note: D5] */
    async draftOrderedChange(request: KeyChangeRequest, order: Order): Promise<{ keys: KeyChange; order: string }> {
      const seed = concat(reviewed().opened.secret.identitySeed)
      try {
        change = await draftChange(opened(), reviewed(), ways, request)
        review = undefined
        const keys = change.change
        const fields = { ...order.fields, keys }
        return { keys, order: await signOrder(seed, originOf(), opened().userId, { ...order, fields }) }
      } finally {
        erase(seed)
      }
    },
    /** Stores the accepted change. */
    async changeKept(): Promise<void> {
      if (!change) throw new CryptoFailure('password', 'Enter the password again')
      await keepChange(opened(), change)
    },
    /** `userId` is from the sign-in's answer. */
    async proveDraft({ userId, challenge }: { userId: string; challenge: string }): Promise<string> {
      if (!draft) throw new CryptoFailure('password', 'Enter the password again')
      return signSession(draft.device, originOf(), userId, challenge)
    },
    switchLockOn: async (input: Parameters<typeof switchLockOn>[2]): Promise<void> => switchLockOn(opened().userId, ways, input),
    switchLockOff: async (input: Parameters<typeof switchLockOff>[1]): Promise<void> => switchLockOff(opened().userId, input),
    renewLock: async (unlockSecret: string): Promise<void> => renewLock(opened().userId, ways, unlockSecret),
    async keepKeys(input: { userId: string; username: string; unlockSecret: string }): Promise<void> {
      if (!draft) throw new CryptoFailure('password', 'Enter the password again')
      shut()
      memory.live = await keepKeys(draft, input, fromBase64(input.unlockSecret))
    },
  }
}
