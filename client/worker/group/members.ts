import { fromBase64, sameBytes } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { pinOf } from '../lists/book.ts'
import { type Peer, peerOf } from '../lists/peers.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { type Group, members } from './mls.ts'

/** For an account without keys: its key equals no other, and it lists no device. */
const WITHOUT_KEYS: Peer = {
  identityKey: new Uint8Array(),
  version: 0,
  signed: { content: '', signature: '' },
  manifest: {
    v: 1,
    version: 0,
    identityKey: '',
    devices: [],
    removed: [],
    historyKeyId: 0,
    historyKey: '',
    keepsHistory: false,
    keyringVersion: 0,
  },
}

/** A deleted account's old messages stay attributable by its pin. */
async function peerByPin(live: Live, userId: string): Promise<Peer> {
  const identityKey = await pinOf(live, userId)
  return identityKey ? { ...WITHOUT_KEYS, identityKey } : WITHOUT_KEYS
}

export interface MemberAccount extends Peer {
  userId: string
}

export interface MemberAccounts {
  own: MemberAccount
  /** Sorted by user id. */
  others: MemberAccount[]
}

/** Throws 'manifest' if the own device list is missing. */
export async function memberAccounts(live: Live, peerIds: string[]): Promise<MemberAccounts> {
  const [own, ...others] = await Promise.all([
    peerOf(live, live.userId),
    ...[...peerIds]
      .sort()
      .map(async (userId) => ({ userId, ...((await peerOf(live, userId)) ?? (await peerByPin(live, userId))) })),
  ])
  if (!own) throw new CryptoFailure('manifest', 'This account’s own device list is missing')
  return { own: { userId: live.userId, ...own }, others }
}

/** The own one first. */
export const everyAccount = ({ own, others }: MemberAccounts): [MemberAccount, ...MemberAccount[]] => [own, ...others]

export const accountKeysOf = (accounts: MemberAccounts): Uint8Array[] =>
  everyAccount(accounts).map(({ identityKey }) => identityKey)

/** The newest known manifest versions, by user id [Note: D2]. */
export const versionsOf = (accounts: MemberAccounts): Record<string, number> =>
  Object.fromEntries(everyAccount(accounts).map(({ userId, version }) => [userId, version]))

/** True if a member's manifest lists this device with this leaf key. */
export const listedIn =
  (accounts: MemberAccounts) =>
  (accountKey: Uint8Array, deviceId: string, leafKey: Uint8Array): boolean =>
    everyAccount(accounts).some(
      ({ identityKey, manifest }) =>
        sameBytes(identityKey, accountKey) &&
        manifest.devices.some((device) => device.id === deviceId && sameBytes(fromBase64(device.leafKey), leafKey)),
    )

/** Indices. The next sender removes these leaves [Note: D3]. */
export function unlistedIn(group: Group, accounts: MemberAccounts): number[] {
  const isListed = listedIn(accounts)
  return members(group)
    .filter(({ accountKey, deviceId, leafKey }) => !isListed(accountKey, deviceId, leafKey))
    .map(({ leafIndex }) => leafIndex)
}
