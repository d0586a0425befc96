import type { Bytes } from '../../contract/ground/bytes.ts'
import { openLive } from './account/openAccount.ts'
import { chatLockVerbs, keyVerbs, listVerbs } from './accountVerbs.ts'
import { bindTo, type CoreMemory } from './binding.ts'
import type { ToOpen } from './files/openFile.ts'
import type { Live } from './keys/live.ts'
import { type OriginOf, proveSession } from './keys/proof.ts'
import type { SlowVerb } from './keys/slowArgon.ts'
import * as load from './lazyParts.ts'
import { CryptoFailure } from './primitives/failure.ts'
import { callVerbs, fileVerbs, groupVerbs, logVerbs, messageVerbs, searchVerbs, transferVerbs } from './roomVerbs.ts'
import { UPDATED_ELSEWHERE } from './vault/database.ts'
import { destroyVault } from './vault/vault.ts'
import type { LockAfter } from './vault/vaultHead.ts'
import { lockStanding, offlineWays } from './vault/vaultLock.ts'
import { knownVaultOf } from './vault/vaults.ts'

export type Core = ReturnType<typeof createCore>

type Unlocking = Awaited<ReturnType<typeof load.unlocking>>
type Offline = Awaited<ReturnType<typeof load.offline>>

const SHOWN = 'shown'

/** The worker's memory and its verbs. A browser calls them through `crypto.ts`; tests call them directly. */
export function createCore(originOf: OriginOf = () => location.origin) {
  const memory: CoreMemory = { ways: {}, live: undefined }
  const binding = bindTo(memory, originOf)
  const { on, part, entered, shut } = binding

  return {
    ...keyVerbs(binding),
    ...listVerbs(binding),
    ...chatLockVerbs(binding),
    ...groupVerbs(binding),
    ...logVerbs(binding),
    ...messageVerbs(binding),
    ...searchVerbs(binding),
    ...fileVerbs(binding),
    ...callVerbs(binding),
    ...transferVerbs(binding),
    /** Erases every seed of a way in, and everything that was opened with one. */
    async forgetPassword(): Promise<void> {
      await (await entered())?.forgetPassword()
    },
    /** Erases the entered way and what it opened; a new kit or password stays for the next attempt. */
    async eraseEntered(): Promise<void> {
      await (await entered())?.eraseEntered()
    },
    /** The device whose vault this browser stores for this username or user id, or null. */
    async deviceHere(who: string): Promise<string | null> {
      return (await knownVaultOf(who))?.deviceId ?? null
    },
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
    offlineWays: (userId: string) => offlineWays(userId),
    async unlockOffline(input: Parameters<Offline['unlockOffline']>[1]): Promise<void> {
      shut()
      await (await load.offline()).unlockOffline(memory, input)
    },
    /** Answers how far a password is stretched without WebAssembly, or stops that. */
    stretching: async (what: SlowVerb) => (await load.slowArgon()).slowVerbs[what](),
    async close(): Promise<void> {
      memory.stopWaiting?.()
      shut()
    },
    async destroy(userId: string): Promise<void> {
      memory.stopWaiting?.()
      shut()
      await destroyVault(userId)
    },
    ...part(load.offline, 'switchOfflineOff'),
    ...on({
      /** Signs the challenge of this session with the open vault's device [Note: D4]. */
      proveSession: async (live: Live, challenge: string) => proveSession(live, originOf(), challenge),
      /** Stores JSON for the screens. */
      keepShown: ({ vault }: Live, shown: object): Promise<void> =>
        vault.write([{ store: 'sealed', key: SHOWN, value: { json: shown } }]),
      /** Returns null if nothing is stored. */
      readShown: async ({ vault }: Live): Promise<unknown> => (await vault.get('sealed', SHOWN))?.json ?? null,
      setLockAfter: async ({ userId }: Live, after: LockAfter) => (await load.relock()).setLockAfter(userId, after),
      switchOfflineOn: async (live: Live, unlockSecret: string) =>
        (await load.offline()).switchOfflineOn(live, memory.ways, unlockSecret),
      renewOffline: async (live: Live, unlockSecret: string) =>
        (await load.offline()).renewOffline(live, memory.ways, unlockSecret),
      /** Never resolves; throws 'vault_newer' once a newer tab has taken the vault over and this page must be reloaded. */
      untilUpdated: ({ vault }: Live) =>
        new Promise<never>((_, reject) => {
          vault.onClosed((reason) => {
            if (reason === 'update') reject(new CryptoFailure('vault_newer', UPDATED_ELSEWHERE))
          })
        }),
      /** Resolves once the vault was deleted [Note: V4]. */
      untilWiped: async ({ vault }: Live, username: string): Promise<void> => {
        const closed = new Promise<void>((resolve) => vault.onClosed((reason) => reason === 'browser' && resolve()))
        const { untilGone } = await load.wiped()
        await closed
        await untilGone(vault, username)
      },
      openFile: async (live: Live, file: ToOpen) => (await load.opening()).openFile(live, file, () => memory.live === live),
    }),
    /** Works while the account is closed too, so that nothing waits for ever. */
    handIn: async (arrival: string, piece?: Bytes) => (await load.opening()).handIn(arrival, piece),
  }
}
