import { randomBytes } from 'node:crypto'
import type { Assertion, FactorDetails } from '../../contract/account/assertion.ts'
import type { KeyChange } from '../../contract/account/devices.ts'
import { keyringShape } from '../../contract/account/documents.ts'
import { passkeysApi, type Registration } from '../../contract/account/passkeys.ts'
import { ApiError } from '../net/api.ts'
import { type Account, accountIn, type ServerState, type Verb } from './state.ts'

const SEEN_AT = '2026-01-02T03:04:05.000Z'

interface AccountVerbs {
  changeKeys(userId: string, change: KeyChange): unknown
  userOf(userId: string): object
}

const newChallenge = () => randomBytes(56).toString('base64url')

/**
 * The endpoints of passkeys, according to the contract. Signatures are not checked here: the tests of the real server do that.
 */
export function passkeyVerbs(state: ServerState, { changeKeys, userOf }: AccountVerbs): Verb[] {
  const of = (userId: string) => accountIn(state, userId)

  function add(userId: string, { id, name, keys }: Registration): object {
    if (keys) changeKeys(userId, keys)
    const made = { id, name, host: location.hostname, createdAt: SEEN_AT, lastUsedAt: null }
    of(userId).passkeys = [...(of(userId).passkeys ?? []), made]
    return {}
  }

  function rename(userId: string, { id, name }: { id: string; name: string }): object {
    of(userId).passkeys = (of(userId).passkeys ?? []).map((passkey) => (passkey.id === id ? { ...passkey, name } : passkey))
    return {}
  }

  function remove(userId: string, id: string): object {
    of(userId).passkeys = (of(userId).passkeys ?? []).filter((passkey) => passkey.id !== id)
    return {}
  }

  function login({ id, userHandle = '' }: Assertion): object {
    const userId = Buffer.from(userHandle, 'base64url').toString()
    if (!hasPasskey(state.accounts.get(userId), id)) throw passkeyRefused()
    return { ...userOf(userId), unlock: null }
  }

  return [
    [passkeysApi.list, (_, userId) => of(userId).passkeys ?? []],
    [passkeysApi.challenge, () => ({ challenge: newChallenge() })],
    [passkeysApi.loginChallenge, () => ({ challenge: newChallenge() })],
    [passkeysApi.add, (registration: Registration, userId) => add(userId, registration)],
    [passkeysApi.rename, (change: { id: string; name: string }, userId) => rename(userId, change)],
    [passkeysApi.remove, ({ id }: { id: string }, userId) => remove(userId, id)],
    [
      passkeysApi.setBiometric,
      ({ enabled }: { enabled: boolean }, userId) => {
        of(userId).biometricEnabled = enabled
        return { enabled }
      },
    ],
    [passkeysApi.login, ({ assertion }: { assertion: Assertion }) => login(assertion)],
  ]
}

/** Refuses a right password that comes without the passkey that the account asks for, or with another one. Throws ApiError. */
export function requireFactor(account: Account, assertion: Assertion | undefined): void {
  if (!account.biometricEnabled || (assertion && hasPasskey(account, assertion.id))) return
  if (assertion) throw passkeyRefused()
  const details: FactorDetails = { challenge: newChallenge(), ids: (account.passkeys ?? []).map(({ id }) => id) }
  throw new ApiError(401, 'biometric_required', 'Biometric Authentication Required', { details })
}

/** Drops the passkeys that sign in and have left the keyring. */
export function dropLeaving(account: Account, next: { content: string }): void {
  const idsIn = ({ content }: { content: string }) => keyringShape.parse(JSON.parse(content)).ways.map(({ id }) => id)
  const [before, after] = [idsIn(account.keys.keyring), idsIn(next)]
  account.passkeys = (account.passkeys ?? []).filter(
    ({ id }) => after.includes(`passkey:${id}`) || !before.includes(`passkey:${id}`),
  )
}

const hasPasskey = (account: Account | undefined, id: string): boolean =>
  account?.passkeys?.some((passkey) => passkey.id === id) ?? false

const passkeyRefused = () => new ApiError(401, 'passkey_refused', 'This passkey does not sign in here')
